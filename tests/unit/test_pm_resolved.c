#include "pm/resolved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/path.h"
#include "base/str.h"

/* "npm x 1.0.0 :3 sha512-ab\n" for each, "!WHY\n" for what could not be read. */
static char *told(const struct pmg_resolved *set, bool with_file)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 20);
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct pmg_resolved_package *p = &set->v[i];

		assert_int_equal(pmg_str_addf(&out, "%s %s %s %s:%u%s%s%s\n", pmg_eco_name(p->eco),
					      p->name, p->version ? p->version : "-",
					      with_file ? p->file : "", p->line,
					      p->integrity ? " " : "",
					      p->integrity ? p->integrity : "",
					      p->installed ? " installed" : ""),
				 0);
	}
	for (i = 0; i < set->unread.n; i++)
		assert_int_equal(pmg_str_addf(&out, "!%s\n", set->unread.v[i]), 0);
	return pmg_str_steal(&out);
}

static const struct {
	const char *file, *text, *told;
} rows[] = {
	/* npm, version 3 */
	{ "package-lock.json",
	  "{\"lockfileVersion\": 3, \"packages\": {\n"
	  " \"\": {\"name\": \"p\", \"version\": \"9.0.0\"},\n"
	  " \"packages/own\": {\"version\": \"1.0.0\"},\n"
	  " \"node_modules/own\": {\"resolved\": \"packages/own\", \"link\": true},\n"
	  " \"node_modules/x\": {\"version\": \"1.0.0\", \"integrity\": \"sha512-ab\"},\n"
	  " \"node_modules/x/node_modules/@s/y\": {\n"
	  "   \"version\": \"2.0.0\"},\n"
	  " \"node_modules/z\": {\"name\": \"bad\", \"version\": \"3.0.0\"}}}",
	  "npm x 1.0.0 :5 sha512-ab\nnpm @s/y 2.0.0 :6\nnpm bad 3.0.0 :8\n" },
	/* What an entry is called, and what its address fetches */
	{ "package-lock.json",
	  "{\"packages\": {\"node_modules/x\": {\"version\": \"1.0.0\", \"resolved\":\n"
	  "\"https://registry.test/@s/bad/-/bad-2.0.0.tgz\"}}}",
	  "npm x 1.0.0 :1\nnpm @s/bad 2.0.0 :1\n" },
	/* The same, written in other ways that fetch it */
	{ "package-lock.json",
	  "{\"packages\": {\"node_modules/x\": {\"version\": \"1.0.0\", \"resolved\":\n"
	  "\"https://registry.test/%62ad//%2D/./bad-2.0.0%2etGz?a=/-/b\"},\n"
	  "\"node_modules/y\": {\"version\": \"1.0.0\", \"resolved\":\n"
	  "\"https://registry.test/y/-/../../@s%2fbad\\\\-/bad-2.0.0.TGZ#c\"}}}",
	  "npm x 1.0.0 :1\nnpm bad 2.0.0 :1\nnpm y 1.0.0 :3\nnpm @s/bad 2.0.0 :3\n" },
	/* Version 1 */
	{ "npm-shrinkwrap.json",
	  "{\"dependencies\": {\n \"x\": {\"version\": \"1.0.0\", \"requires\": {\"y\": \"^1\"},\n"
	  "  \"dependencies\": {\n   \"y\": {\"version\": \"npm:@s/bad@2.0.0\"}}},\n"
	  " \"u\": {\"version\": \"https://h.test/u.tgz\"}, \"f\": {\"version\": \"file:f\"}}}",
	  "npm x 1.0.0 :2\nnpm @s/bad 2.0.0 :4\nnpm u - :5\n" },
	{ ".package-lock.json", "{\"packages\": {\"node_modules/x\": {\"version\": \"1.0.0\"}}}",
	  "npm x 1.0.0 :1 installed\n" },
	/* Two readers could take one each. */
	{ "package-lock.json",
	  "{\"packages\": {\"node_modules/x\": {\"version\": \"1.0.0\",\n\"version\": \"2.0.0\"}}}",
	  "!package-lock.json:2:9: duplicate object key near '\"version\"'\n" },
	{ "package-lock.json", "{\"packages\": {\"node_modules/x\": 1}}",
	  "!package-lock.json:1: an entry that is no object\n" },
	{ "package-lock.json", "[]", "!package-lock.json:1: no object at the top\n" },
	{ "package-lock.json", "{\"packages\": {\"node_modules/x y\": {}}}",
	  "!package-lock.json:1: no package can be called \"x y\"\n" },
	/* pnpm 9 and later; 6 to 8; 5 */
	{ "pnpm-lock.yaml",
	  "lockfileVersion: '9.0'\npackages:\n\n  x@1.0.0:\n    resolution: {integrity: "
	  "sha512-ab}\n"
	  "  '@s/y@2.0.0':\n    resolution: {integrity: s}\n  t@https://h.test/t.tgz:\n"
	  "    resolution: {tarball: https://h.test/t.tgz}\n    version: 3.0.0\n"
	  "  own@file:own:\n    resolution: {directory: own, type: directory}\nsnapshots:\n"
	  "  x@1.0.0: {}\n",
	  "npm x 1.0.0 :4 sha512-ab\nnpm @s/y 2.0.0 :6 s\nnpm t 3.0.0 :8\n" },
	{ "pnpm-lock.yaml", "packages:\n  /x@1.0.0(y@2.0.0):\n    resolution: {integrity: a}\n",
	  "npm x 1.0.0 :2 a\n" },
	{ "pnpm-lock.yaml",
	  "packages:\n  /@s/x/1.0.0_y@2.0.0:\n    dev: true\n  h.test/y/2.0.0:\n"
	  "    resolution: {integrity: a}\n    name: y\n    version: 2.0.0\n",
	  "npm @s/x 1.0.0 :2\nnpm y 2.0.0 :4 a\n" },
	/* A folder is one by its type; what is in no "packages" is in "snapshots" all the same. */
	{ "pnpm-lock.yaml",
	  "packages:\n  x@1.0.0:\n    resolution: {integrity: a, directory: own}\n"
	  "  z@3.0.0: {}\nsnapshots:\n  x@1.0.0(z@3.0.0): {}\n  y@2.0.0(z@3.0.0):\n"
	  "    dependencies:\n      z: 3.0.0\n  z@3.0.0: {}\n",
	  "npm x 1.0.0 :2 a\nnpm z 3.0.0 :4\nnpm y 2.0.0 :7\n" },
	/* What the key says and what stands below it: versions of pnpm go by one or the other. */
	{ "pnpm-lock.yaml",
	  "packages:\n  bad@1.0.0:\n    resolution: {integrity: a}\n    name: good\n"
	  "    version: 0.9.0\n  /@s/bad/1.0.0:\n    name: '@s/good'\n    version: 1.0.0\n"
	  "  h.test/bad/2.0.0:\n    resolution: {integrity: a}\n    name: good\n"
	  "    version: 2.0.0\n",
	  "npm good 0.9.0 :2 a\nnpm good 1.0.0 :2 a\nnpm bad 0.9.0 :2 a\nnpm bad 1.0.0 :2 a\n"
	  "npm @s/good 1.0.0 :6\nnpm @s/bad 1.0.0 :6\nnpm good 2.0.0 :9 a\nnpm bad 2.0.0 :9 a\n" },
	/* Of a git repository or an address the key is no name. */
	{ "pnpm-lock.yaml",
	  "packages:\n  github.com/a/b/1ab:\n    name: x\n    version: 1.0.0\n"
	  "  y@https://h.test/y.tgz:\n    version: 2.0.0\n    id: bad@1.0.0\n"
	  "  file:../a.b/z.tgz:\n    name: z\n    version: 3.0.0\n",
	  "npm x 1.0.0 :2\nnpm y 2.0.0 :5\nnpm bad 1.0.0 :5\nnpm z 3.0.0 :8\n" },
	/* pnpm puts both together. */
	{ "pnpm-lock.yaml",
	  "packages:\n  x@1.0.0: {}\n  y@1.0.0: {}\nsnapshots:\n  x@1.0.0(y@1.0.0):\n"
	  "    resolution: {integrity: a, tarball: https://r.test/bad/-/bad-1.0.0.tgz}\n"
	  "  y@1.0.0: {}\n",
	  "npm x 1.0.0 :2\nnpm y 1.0.0 :3\nnpm x 1.0.0 :5 a\nnpm bad 1.0.0 :5\n" },
	/* Two documents, as pnpm 11 has them */
	{ "pnpm-lock.yaml", "---\npackages:\n  x@1.0.0: {}\n---\npackages:\n  y@2.0.0: {}\n",
	  "npm x 1.0.0 :3\nnpm y 2.0.0 :6\n" },
	{ "pnpm-lock.yaml", "a: &a {x@1.0.0: {}}\npackages: *a\n",
	  "!pnpm-lock.yaml:2: an alias, or a key that is none, where packages are named\n" },
	{ "pnpm-lock.yaml", "packages:\n  <<: {x@1.0.0: {}}\n",
	  "!pnpm-lock.yaml:2: no package can be called \"<<\"\n" },
	{ "pnpm-lock.yaml", "a: [\n",
	  "!pnpm-lock.yaml:2: not YAML: did not find expected node "
	  "content\n" },
	/* yarn 1 */
	{ "yarn.lock",
	  "# yarn lockfile v1\n\n\n\"@s/x@^1.0.0\", \"@s/x@^1.1.0\":\n  version \"1.1.0\"\n"
	  "  resolved \"https://registry.test/@s/x/-/x-1.1.0.tgz#abc\"\n  integrity sha512-ab\n"
	  "  dependencies:\n    y \"^2.0.0\"\n\ngood@npm:bad@^2:\n  \"version\" "
	  "\"2.0.\\u0031\"\r\n",
	  "npm @s/x 1.1.0 :4 sha512-ab\nnpm bad 2.0.1 :11\n" },
	{ "yarn.lock", "x@^1:\n<<<<<<< ours\n  version \"1.0.0\"\n",
	  "!yarn.lock:2: a merge conflict that is not solved\n" },
	/* Whoever asks for the second one has the same archive under that name. */
	{ "yarn.lock",
	  "x@^1, \"x@npm:y@^1\", z@^1, x@^2:\r  version \"1.0.0\"\r\rw@1:\r  version 1.0.0\n",
	  "npm x 1.0.0 :1\nnpm y 1.0.0 :1\nnpm z 1.0.0 :1\nnpm w 1.0.0 :1\n" },
	/* An end of a line for yarn, but not of a comment */
	{ "yarn.lock", "# c\rbad@^1:\r  version \"1.0.0\"\r\n\ny@^1:\n  version \"2.0.0\"\r\n",
	  "npm bad 1.0.0 :1\nnpm y 2.0.0 :3\n"
	  "!yarn.lock:1: a comment that ends in a carriage return alone\n" },
	{ "yarn.lock", "what is this\n", "!yarn.lock:1: neither an entry nor a field of one\n" },
	{ "yarn.lock", "noversion:\n  version \"1.0.0\"\n",
	  "!yarn.lock:1: an entry without a name\n" },
	/* berry */
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n\n\"x@npm:^1.0.0, x@npm:^1.1.0\":\n  version: 1.1.0\n"
	  "  resolution: \"x@npm:1.1.0\"\n  checksum: 10c0/ab\n\n\"p@workspace:.\":\n"
	  "  version: 0.0.0\n  resolution: \"p@workspace:.\"\n"
	  "\"z@patch:z@npm%3A1\":\n  version: 2.0.0\n  resolution: \"z@patch:z@npm%3A2.0.0#x\"\n",
	  "npm x 1.1.0 :4\nnpm z 2.0.0 :12\nnpm z 2.0.0 :12\n" },
	/* Yarn fetches what the locator names, and of a patch what it is of. */
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n\"x@npm:1\":\n  version: 0.9.0\n"
	  "  resolution: \"bad@npm:1.0.0\"\n\"y@npm:1\":\n  version: 0.9.0\n"
	  "  resolution: \"y@patch:bad@npm%3A1.0.0#x\"\n\"z@npm:1\":\n  version: 0.9.0\n"
	  "  resolution: \"bad@virtual:ab#npm:1.0.0::__archiveUrl=https%3A%2F%2Fh.test%2Fb\"\n",
	  "npm bad 0.9.0 :3\nnpm bad 1.0.0 :3\nnpm y 0.9.0 :6\nnpm bad 1.0.0 :6\n"
	  "npm bad 0.9.0 :9\nnpm bad 1.0.0 :9\n" },
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n\"x@npm:1\":\n  version: 0.9.0\n"
	  "  resolution: \"x@patch:y@patch%3Abad@npm%253A1.0.0%23a#b\"\n"
	  "  resolution: \"x@npm:good@0.9.0\"\n",
	  "npm good 0.9.0 :3\nnpm x 0.9.0 :3\nnpm bad 1.0.0 :3\nnpm good 0.9.0 :3\n" },
	{ "yarn.lock",
	  "__metadata: {version: 8}\n? x@npm:1\n: {version: 1, \"resolution\": 'bad@npm:1'}",
	  "npm bad 1 :2\n" },
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n\"x@npm:bad@^1, y@npm:^1\":\n  version: 1.0.0\n"
	  "  resolution: \"x@npm:bad@1.0.0\"\n",
	  "npm bad 1.0.0 :3\nnpm x 1.0.0 :3\n" },
	{ "yarn.lock", "__metadata: &a {version: 8}\n\"x@npm:1\": *a\n",
	  "!yarn.lock:2: an alias, or a key that is none\n" },
	/* bun */
	{ "bun.lock",
	  "{ // JSON with commas\n \"packages\": {\n"
	  "  \"x\": [\"x@1.0.0\", \"\", {\"bin\": {\"x\": \"x.js\",},}, \"sha512-ab\"],\n"
	  "  \"a/y\": [\"@s/y@2.0.0\", \"\", {}, \"sha512-cd\"], /* , */\n"
	  "  \"o\": [\"o@workspace:o\"],\n  \"g\": [\"g@github:a/b#c\", {}, \"a-b-c\"],\n }\n}\n",
	  "npm x 1.0.0 :3 sha512-ab\nnpm @s/y 2.0.0 :4 sha512-cd\nnpm g - :6 a-b-c\n" },
	{ "bun.lock",
	  "{\"packages\": {\"x\": [\"bad@1.0.0\", \"\", {}, \"sha512-ab\"],\n"
	  "\"y\": [\"y@npm:@s/bad@2.0.0\", \"\", {}, \"sha512-cd\"]}}",
	  "npm bad 1.0.0 :1 sha512-ab\nnpm @s/bad 2.0.0 :2 sha512-cd\n" },
	{ "bun.lock", "{\"packages\": {\"x\": [\"x\"]}}",
	  "!bun.lock:1: an entry without name and version\n" },
	{ "bun.lock", "{\"packages\": {}, \"packages\": {}}",
	  "!bun.lock:1:27: duplicate object key near '\"packages\"'\n" },
	/* Python */
	{ "requirements.txt", "# c\rx==1.0\vy==2.0\xe2\x80\xa8z==3.0\n",
	  "pypi x 1.0 :2\npypi y 2.0 :3\npypi z 3.0 :4\n" },
	{ "requirements.txt", "# -*- coding: latin-1 -*-\nx==1.0\n", "pypi x 1.0 :2\n" },
	{ "requirements.txt", "#\n# coding: unicode_escape\n\\x62ad==1.0\n",
	  "!requirements.txt:1: an encoding that pmg does not read, unicode_escape\n" },
	{ "requirements-dev.txt",
	  "# pins\nX.y==1.0 \\\n  --hash=sha256:ab --hash sha256:cd\nz[e] == 2.0 ; python_version "
	  "> '3'\n"
	  "loose>=1\nmany==1.*\n-r other.txt\n",
	  "pypi X.y 1.0 :2 sha256:ab sha256:cd\npypi z 2.0 :4\n" },
	{ "poetry.lock",
	  "[[package]]\nname = \"x\"\nversion = \"1.0\"\nfiles = [\n"
	  "  {file = \"x.whl\", hash = \"sha256:ab\"},\n]\n\n[[package]]\nname = \"own\"\n"
	  "version = \"0\"\n[package.source]\ntype = \"directory\"\nurl = \"own\"\n",
	  "pypi x 1.0 :1 sha256:ab\n" },
	{ "uv.lock",
	  "version = 1\n[[package]]\nname = \"own\"\nversion = \"0\"\nsource = { editable = \".\" "
	  "}\n"
	  "[[package]]\nname = \"x\"\nversion = \"1.0\"\nsource = { registry = \"https://h.test\" "
	  "}\n"
	  "sdist = { url = \"u\", hash = \"sha256:ab\" }\nwheels = [{ hash = \"sha256:cd\" }]\n",
	  "pypi x 1.0 :6 sha256:cd sha256:ab\n" },
	/* uv takes the first of them that it knows, and that is the registry. */
	{ "uv.lock",
	  "[[package]]\nname = \"x\"\nversion = \"1.0\"\n"
	  "source = { editable = \".\", registry = \"https://h.test\" }\n",
	  "pypi x 1.0 :1\n" },
	/* It installs what the file is called. */
	{ "uv.lock",
	  "[[package]]\nname = \"x-y\"\nversion = \"1.0\"\n"
	  "source = { registry = \"https://h.test\" }\nwheels = [\n"
	  " { url = \"https://h.test/X_y-1.0.0-py3-none-any.whl#a\" },\n"
	  " { url = \"https://h.test/x_y-1.0%2Bcpu-py3-none-any.whl\" },\n"
	  " { url = \"https://h.test/x_y-2.0-py3-none-any.whl\" },\n"
	  " { url = \"https://h.test/x_y-1.0/%62ad-1.0-py3-none-any.whl?b\" },\n"
	  " { filename = \"bad-2.0-1-py3-none-any.whl\" },\n { url = \"https://h.test/odd.whl\" "
	  "}]\n",
	  "pypi x-y 1.0 :1\npypi x_y 2.0 :1\npypi bad 1.0 :1\npypi bad 2.0 :1\n" },
	{ "pylock.toml",
	  "[[packages]]\nname = \"x\"\nversion = \"1.0\"\n"
	  "archive = { url = \"https://h.test/bad-1.0-py3-none-any.whl\" }\n",
	  "pypi x 1.0 :1\npypi bad 1.0 :1\n" },
	{ "uv.lock", "[[package]]\nversion = \"1.0\"\n", "!uv.lock:1: a package without a name\n" },
	{ "poetry.lock", "[[package]]\nname = \"x\"\nversion = \"1\"\nversion\n",
	  "!poetry.lock:1: not all of it is TOML\n" },
	{ "pylock.dev.toml",
	  "lock-version = \"1.0\"\n[[packages]]\nname = \"x\"\nversion = \"1.0\"\n"
	  "wheels = [{ name = \"w\", hashes = { sha256 = \"ab\" } }]\n"
	  "[[packages]]\nname = \"own\"\ndirectory = { path = \".\" }\n",
	  "pypi x 1.0 :2 sha256:ab\n" },
	{ "report.json",
	  "{\"pip_version\": \"23\", \"install\": [{\"metadata\": {\"name\": \"x\", \"version\": "
	  "\"1.0\"},"
	  "\"download_info\": {\"archive_info\": {\"hashes\": {\"sha256\": \"ab\"}}}},"
	  "{\"metadata\": {\"name\": \"own\"}, \"download_info\": {\"dir_info\": {}}}]}",
	  "pypi x 1.0 :0 sha256:ab\n" },
	{ "some.json", "{}", "!some.json: it is no lockfile that pmg knows\n" },
	{ "package-lock.json", "\xef\xbb\xbf{\"packages\": {\"node_modules/x\": {}}}",
	  "npm x - :1\n" },
};

static void each_format_says_what_is_pinned(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(resolved) struct pmg_resolved set = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;

		assert_int_equal(pmg_resolved_text(&set, rows[i].file, rows[i].text,
						   strlen(rows[i].text), &err),
				 0);
		got = told(&set, false);
		if (strcmp(got, rows[i].told) != 0)
			fail_msg("row %zu (%s):\n%s", i, rows[i].file, got);
	}
}

static void put(const char *folder, const char *name, const char *text)
{
	folder_write(folder, name, text, strlen(text));
}

/* What a walk tells, sorted, with the folder's own path taken off. */
static char *walked(const char *folder, const char *below)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_autofree char *path = pmg_path_join(folder, below);
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *got = NULL;
	char *at;

	assert_int_equal(pmg_resolved_walk(&set, path, &err), 0);
	pmg_resolved_sort(&set);
	got = told(&set, true);
	while ((at = strstr(got, path)))
		memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
	return pmg_steal_ptr(&got);
}

static void what_is_installed_is_found_however_deep(void **state)
{
	pmg_auto(folder) char *folder = folder_new();
	pmg_autofree char *got = NULL;
	pmg_autofree char *link = NULL;

	(void)state;
	put(folder, "p/package-lock.json", "{\"packages\": {\"node_modules/a\": {}}}");
	put(folder, "p/.git/package-lock.json", "{\"packages\": {\"node_modules/never\": {}}}");
	put(folder, "p/node_modules/a/package.json", "{\"version\": \"1.0.0\", \"name\": \"lie\"}");
	put(folder, "p/node_modules/a/node_modules/@s/b/package.json", "{\"version\": \"2.0.0\"}");
	put(folder, "p/node_modules/.pnpm/c@3.0.0/node_modules/c/package.json",
	    "{\"version\": \"3.0.0\"}");
	put(folder, "p/node_modules/odd/package.json", "{\"version\": \"4.0.0\",");
	put(folder, "p/node_modules/twice/package.json",
	    "\xef\xbb\xbf{\"version\": \"4.0.0\", \"version\": \" 4.1.0\", \"name\": \"@s/bad\"}");
	put(folder, "p/node_modules/hides/package.json/x", "");
	put(folder, "p/node_modules/empty/index.js", "");
	put(folder, "p/.venv/lib/python3/site-packages/Dee-5.0.dist-info/METADATA",
	    "Metadata-Version: 2.1\nName: dee\nVersion: 5.0\n\nName: never\n");
	put(folder, "p/.venv/lib/python3/site-packages/e_e-6.0.dist-info/RECORD", "");
	put(folder, "p/.venv/lib/python3/site-packages/f_f-8.0.dist-info/METADATA",
	    "Name: other\nVersion: 8.0\n");
	put(folder, "elsewhere/package.json", "{\"version\": \"7.0.0\"}");
	link = pmg_path_join(folder, "p/node_modules/linked");
	assert_int_equal(symlink("../../elsewhere", link), 0);
	got = walked(folder, "p");
	assert_string_equal(
		got,
		"npm @s/b 2.0.0 /node_modules/a/node_modules/@s/b/package.json:0 installed\n"
		"npm @s/bad 4.1.0 /node_modules/twice/package.json:0 installed\n"
		"npm a - /package-lock.json:1\n"
		"npm a 1.0.0 /node_modules/a/package.json:0 installed\n"
		"npm c 3.0.0 /node_modules/.pnpm/c@3.0.0/node_modules/c/package.json:0 installed\n"
		"npm hides - /node_modules/hides/package.json:0 installed\n"
		"npm lie 1.0.0 /node_modules/a/package.json:0 installed\n"
		"npm odd - /node_modules/odd/package.json:0 installed\n"
		"npm twice 4.1.0 /node_modules/twice/package.json:0 installed\n"
		"pypi dee 5.0 /.venv/lib/python3/site-packages/Dee-5.0.dist-info/METADATA:0 "
		"installed\n"
		"pypi e_e 6.0 /.venv/lib/python3/site-packages/e_e-6.0.dist-info/METADATA:0 "
		"installed\n"
		"pypi f_f 8.0 /.venv/lib/python3/site-packages/f_f-8.0.dist-info/METADATA:0 "
		"installed\n"
		"pypi other 8.0 /.venv/lib/python3/site-packages/f_f-8.0.dist-info/METADATA:0 "
		"installed\n");
}

/* bun's globalStore, and a node_modules that lies elsewhere. */
static void links_that_managers_make_are_followed(void **state)
{
	static const char *const links[][2] = { { "p/node_modules", "../nm" },
						{ "nm/.bun/b@2.0.0", "../../links/b" },
						{ "nm/.bun/file", "../../links/file" },
						{ "nm/c", "../links/b/node_modules/b" } };
	pmg_auto(folder) char *folder = folder_new();
	pmg_autofree char *got = NULL;
	size_t i;

	(void)state;
	put(folder, "nm/a/package.json", "{\"version\": \"1.0.0\"}");
	put(folder, "nm/.bun/d@4.0.0/node_modules/d/package.json", "{\"version\": \"4.0.0\"}");
	put(folder, "links/b/node_modules/b/package.json", "{\"version\": \"2.0.0\"}");
	put(folder, "links/file", "");
	put(folder, "p/x", "");
	for (i = 0; i < PMG_ARRAY_LEN(links); i++) {
		pmg_autofree char *path = pmg_path_join(folder, links[i][0]);

		assert_int_equal(symlink(links[i][1], path), 0);
	}
	got = walked(folder, "p");
	assert_string_equal(
		got,
		"npm a 1.0.0 /node_modules/a/package.json:0 installed\n"
		"npm b 2.0.0 /node_modules/.bun/b@2.0.0/node_modules/b/package.json:0 installed\n"
		"npm d 4.0.0 /node_modules/.bun/d@4.0.0/node_modules/d/package.json:0 "
		"installed\n");
}

static void what_a_line_asks_for_is_a_version_or_open(void **state)
{
	static const struct {
		const char *text, *name, *version; /* name NULL: nothing */
	} cases[] = {
		{ "x==1.0", "x", "1.0" },
		{ "x[a,b] == 1.0 ; python_version > '3'", "x", "1.0" },
		{ "x@1.0", "x", "1.0" },
		{ "x@latest", "x", NULL },
		{ "x @ https://r.test/x.whl", "x", NULL },
		{ "x[a]", "x", NULL },
		{ "x>=1,<2", "x", NULL },
		{ "x==1.*", "x", NULL },
		{ "./x", NULL, NULL },
		{ "git+https://r.test/x", NULL, NULL },
		{ "", NULL, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_auto(resolved) struct pmg_resolved set = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_resolved_asked(&set, "line", cases[i].text, &err), 0);
		if (set.n != (cases[i].name != NULL) ||
		    (set.n == 1 && (strcmp(set.v[0].name, cases[i].name) != 0 ||
				    !pmg_streq(set.v[0].version, cases[i].version) ||
				    set.v[0].open != !cases[i].version)))
			fail_msg("%s: %zu", cases[i].text, set.n);
	}
}

/* By which its date is found. */
static void what_is_installed_says_where_it_is_from(void **state)
{
	static const struct {
		const char *direct, *url;
	} cases[] = {
		{ NULL, PMG_RESOLVED_ANYWHERE },
		{ "{\"url\": \"https://r.test/x-1.whl\", \"archive_info\": {}}",
		  "https://r.test/x-1.whl" },
		{ "{\"url\": \"https://r.test/x\", \"vcs_info\": {}}", "direct" },
		{ "{\"url\": \"file:///x\", \"dir_info\": {}}", "direct" },
		{ "{\"url\": 1, \"archive_info\": {}}", "direct" },
		{ "{", "direct" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_auto(folder) char *folder = folder_new();
		pmg_auto(resolved) struct pmg_resolved set = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		put(folder, "x-1.dist-info/METADATA", "Name: x\nVersion: 1\n");
		if (cases[i].direct)
			put(folder, "x-1.dist-info/direct_url.json", cases[i].direct);
		assert_int_equal(pmg_resolved_site_packages(&set, folder, &err), 0);
		assert_int_equal(set.n, 1);
		assert_string_equal(set.v[0].url, cases[i].url);
	}
}

/* Whatever has installed it; links are told by their names. */
static void all_that_tells_of_an_installed_project_is_read(void **state)
{
#define SITE "lib/python3/site-packages/"
	static const char *const files[][2] = {
		{ SITE "a-1.0-py3.11.egg-info/PKG-INFO", "Name: A\nVersion: 1.0\n\n" },
		{ SITE "b-2.0-py3.11.egg-info", "Name: b\nVersion: 2.0\n" },
		{ SITE "c-3.0-py3.11.egg/EGG-INFO/PKG-INFO", "Name: bad\nVersion: 3.0\n" },
		{ SITE "d.egg-info/top_level.txt", "" },
		{ SITE "~mpy-1.0.dist-info/RECORD", "" }, /* what pip was moving away */
		{ "src/own.egg-info/PKG-INFO", "Name: own\nVersion: 0\n" },
		{ "elsewhere/METADATA", "Name: e\nVersion: 5.0\n" },
		{ SITE "f-6.0.dist-info/x", "" },
	};
	static const char *const links[][2] = {
		{ SITE "e-5.0.dist-info", "../../../elsewhere" },
		{ SITE "f-6.0.dist-info/METADATA", "../../../../elsewhere/METADATA" },
	};
	pmg_auto(folder) char *folder = folder_new();
	pmg_autofree char *got = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(files); i++)
		put(folder, files[i][0], files[i][1]);
	for (i = 0; i < PMG_ARRAY_LEN(links); i++) {
		pmg_autofree char *path = pmg_path_join(folder, links[i][0]);

		assert_int_equal(symlink(links[i][1], path), 0);
	}
	got = walked(folder, "lib/python3");
	assert_string_equal(
		got, "pypi A 1.0 /site-packages/a-1.0-py3.11.egg-info/PKG-INFO:0 installed\n"
		     "pypi b 2.0 /site-packages/b-2.0-py3.11.egg-info:0 installed\n"
		     "pypi bad 3.0 /site-packages/c-3.0-py3.11.egg/EGG-INFO/PKG-INFO:0 installed\n"
		     "pypi c 3.0 /site-packages/c-3.0-py3.11.egg/EGG-INFO/PKG-INFO:0 installed\n"
		     "pypi d - /site-packages/d.egg-info/PKG-INFO:0 installed\n"
		     "pypi e 5.0 /site-packages/e-5.0.dist-info/METADATA:0 installed\n"
		     "pypi f 6.0 /site-packages/f-6.0.dist-info/METADATA:0 installed\n");
	free(got);
	got = walked(folder, "src");
	assert_string_equal(got, "");
#undef SITE
}

static void what_is_there_already_is_known_again(void **state)
{
	static const char text[] = "{\"packages\": {\"node_modules/b\": {\"version\": \"2.0.0\"},"
				   "\"node_modules/a\": {\"version\": \"1.0.0\"}}}";
	struct pmg_resolved_package asked = { .eco = PMG_ECO_NPM };
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	char name[] = "a", version[] = "1.0.0", other[] = "2.0.0";

	(void)state;
	asked.name = name;
	asked.version = version;
	assert_false(pmg_resolved_has(&set, &asked));
	assert_int_equal(pmg_resolved_text(&set, "package-lock.json", text, strlen(text), &err), 0);
	pmg_resolved_sort(&set);
	assert_true(pmg_resolved_has(&set, &asked));
	asked.version = other;
	assert_false(pmg_resolved_has(&set, &asked));
}

static void what_is_not_there_is_said(void **state)
{
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_autofree char *path = pmg_path_join(folder, "yarn.lock");
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_resolved_file(&set, path, &err), -PMG_E_NOTFOUND);
	assert_int_equal(pmg_resolved_walk(&set, path, &err), -PMG_E_NOTFOUND);
	assert_non_null(strstr(err.msg, "yarn.lock"));
	assert_int_equal(set.n + set.unread.n, 0);
}

static void each_manager_has_its_lockfiles(void **state)
{
	(void)state;
	assert_string_equal(pmg_resolved_names("npm")[0], "npm-shrinkwrap.json");
	assert_string_equal(pmg_resolved_names("bun")[0], "bun.lock");
	assert_null(pmg_resolved_names("exec")[0]);
	assert_true(pmg_resolved_is_name("requirements-dev.txt"));
	assert_true(pmg_resolved_is_name("s.py.lock"));
	assert_false(pmg_resolved_is_name("notes.txt"));
}

/* "name url" of each, "-" for a registry's; "!" before those of other systems. */
static const struct {
	const char *file, *text, *told;
} origins[] = {
	{ "package-lock.json",
	  "{\"packages\": {\"node_modules/a\": {\"version\": \"1.0.0\"},"
	  "\"node_modules/b\": {\"version\": \"1.0.0\", \"resolved\": \"git+ssh://h.test/b\"},"
	  "\"node_modules/b/node_modules/c\": {\"version\": \"1.0.0\", \"inBundle\": true},"
	  "\"node_modules/d\": {\"version\": \"1.0.0\", \"optional\": true, \"os\": [\"darwin\", "
	  "\"win32\"]},"
	  "\"node_modules/plain\": {\"version\": \"1.0.0\", \"os\": [\"darwin\"]},"
	  "\"node_modules/e\": {\"version\": \"1.0.0\", \"os\": [\"!win32\"], \"cpu\": [\"any\"]},"
	  "\"node_modules/f\": {\"version\": \"1.0.0\", \"os\": [\"linux\"], \"cpu\": "
	  "[\"mips\"], \"optional\": true}}}",
	  "a -\nb git+ssh://h.test/b\nc -\n!d -\nplain -\ne -\n!f -\n" },
	/* Bundled is what has no archive of its own, and a package above it that brings it along:
	 * not what the project bundles (a, d), nor what is only said to be. */
	{ "package-lock.json",
	  "{\"packages\": {\"\": {\"bundleDependencies\": [\"a\"]},"
	  "\"node_modules/a\": {\"version\": \"1.0.0\", \"inBundle\": true},"
	  "\"node_modules/b\": {\"version\": \"1.0.0\", \"bundleDependencies\": [\"c\"]},"
	  "\"node_modules/b/node_modules/c\": {\"version\": \"1.0.0\", \"inBundle\": true},"
	  "\"node_modules/b/node_modules/c/node_modules/@s/c\": "
	  "{\"version\": \"1.0.0\", \"inBundle\": true},"
	  "\"node_modules/b/node_modules/i\": "
	  "{\"version\": \"1.0.0\", \"inBundle\": true, \"integrity\": \"sha512-a\"},"
	  "\"node_modules/b/node_modules/r\": {\"version\": \"1.0.0\", \"inBundle\": true, "
	  "\"resolved\": \"https://r.test/r/-/r-1.0.0.tgz\"},"
	  "\"node_modules/b/node_modules/w\": {\"version\": \"1.0.0\"},"
	  "\"packages/own\": {\"version\": \"1.0.0\", \"bundleDependencies\": [\"d\"]},"
	  "\"packages/own/node_modules/d\": {\"version\": \"1.0.0\", \"inBundle\": true},"
	  "\"node_modules/e\": {\"version\": \"1.0.0\", \"bundleDependencies\": []},"
	  "\"node_modules/e/node_modules/f\": {\"version\": \"1.0.0\", \"inBundle\": true}}}",
	  "a -\nb -\nc bundled\n@s/c bundled\ni -\nr https://r.test/r/-/r-1.0.0.tgz\nw -\nd -\n"
	  "e -\nf -\n" },
	{ "npm-shrinkwrap.json",
	  "{\"dependencies\": {\"a\": {\"version\": \"1.0.0\", \"bundled\": true,"
	  "\"dependencies\": {\"b\": {\"version\": \"1.0.0\", \"bundled\": true},"
	  "\"c\": {\"version\": \"1.0.0\", \"bundled\": true, \"integrity\": \"x\"}}}}}",
	  "a -\nb bundled\nc -\n" },
	{ "pnpm-lock.yaml",
	  "packages:\n  a@1.0.0:\n    resolution: {integrity: x}\n    os: [darwin]\n    optional: "
	  "true\n"
	  "  b@1.0.0:\n    os: [linux, darwin]\n    libc: [glibc, musl]\n    optional: true\n"
	  "  c@1.0.0:\n    resolution: {repo: git@h.test, commit: d, type: git}\n",
	  "!a -\nb -\nc git@h.test\n" },
	/* pnpm warns of what does not fit and installs it, but where it is optional for all. */
	{ "pnpm-lock.yaml",
	  "packages:\n  a@1.0.0: {os: [darwin]}\n  b@1.0.0: {os: [darwin]}\n"
	  "  c@1.0.0: {os: [darwin], optional: false}\n  d@1.0.0: {os: [darwin]}\n"
	  "  e@1.0.0: {os: [darwin]}\n  f@1.0.0: {os: [darwin]}\n"
	  "snapshots:\n  a@1.0.0: {optional: true}\n  b@1.0.0: {}\n  c@1.0.0: {optional: true}\n"
	  "  d@1.0.0(x@1.0.0): {optional: true}\n  d@1.0.0(x@2.0.0): {}\n"
	  "  e@1.0.0: {optional: 'true'}\n",
	  "!a -\nb -\nc -\nd -\ne -\nf -\n" },
	/* Berry brings in what is for others where something needs it. */
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n"
	  "\"a@npm:1\":\n  resolution: \"a@npm:1.0.0\"\n  conditions: os=darwin\n"
	  "\"b@npm:1\":\n  resolution: \"b@npm:1.0.0\"\n  conditions: os=darwin\n"
	  "\"c@npm:1\":\n  resolution: \"c@npm:1.0.0\"\n  conditions: os=darwin\n"
	  "\"p@workspace:.\":\n  resolution: \"p@workspace:.\"\n  dependencies:\n    a: 1\n"
	  "    b: 1\n  dependenciesMeta:\n    a:\n      optional: true\n    b:\n"
	  "      optional: \"true\"\n",
	  "!a -\n!a -\nb -\nb -\nc -\nc -\n" },
	{ "yarn.lock",
	  "__metadata:\n  version: 8\n\"p@workspace:.\":\n  resolution: \"p@workspace:.\"\n"
	  "  dependencies: {a: 1}\n  dependenciesMeta: {a: {optional: true}}\n"
	  "\"a@npm:1\":\n  version: 1.0.0\n"
	  "  resolution: \"a@npm:1.0.0\"\n  conditions: os=darwin & cpu=arm64\n"
	  "\"b@npm:1\":\n  version: 1.0.0\n  resolution: \"b@npm:1.0.0\"\n"
	  "  conditions: (os=darwin | os=linux)\n"
	  "\"c@patch:c\":\n  version: 1.0.0\n  resolution: \"c@patch:c@npm%3A1.0.0#x\"\n",
	  "!a -\nb -\nc patch:c@npm%3A1.0.0#x\nc -\n" },
	{ "yarn.lock",
	  "\"a@file:./a\":\n  version \"1.0.0\"\n\n\"@s/b@../b\":\n  version \"1.0.0\"\n\n"
	  "\"c@file:c.tgz\":\n  version \"1.0.0\"\n  resolved \"file:c.tgz#ab\"\n\nd@^1:\n"
	  "  version \"1.0.0\"\n",
	  "a file:./a\n@s/b ../b\nc file:c.tgz#ab\nd -\n" },
	{ "bun.lock",
	  "{\"packages\": {\"a\": [\"a@1.0.0\", \"\", {\"os\": \"!linux\"}, \"sha512-a\"],"
	  "\"b\": [\"b@1.0.0\", \"\", {\"os\": \"!win32\"}, \"sha512-a\"]}}",
	  "!a -\nb -\n" },
	{ "requirements.txt", "a==1.0\n", "a anywhere\n" },
	{ "uv.lock",
	  "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"https://i.test\" }\n"
	  "[[package]]\nname = \"b\"\nversion = \"1\"\nsource = { git = \"https://g.test/b\" }\n"
	  "[[package]]\nname = \"c\"\nversion = \"1\"\nsource = { path = \"c.whl\" }\n",
	  "a -\nb https://g.test/b\nc c.whl\n" },
	{ "uv.lock",
	  "[[package]]\nname = \"a\"\nversion = \"1\"\n"
	  "source = { git = \"https://g.test/a\", registry = \"https://i.test\", url = \"x\" }\n",
	  "a -\n" },
	{ "poetry.lock",
	  "[[package]]\nname = \"a\"\nversion = \"1\"\n[package.source]\ntype = \"legacy\"\n"
	  "url = \"https://i.test\"\n[[package]]\nname = \"b\"\nversion = \"1\"\n"
	  "[package.source]\ntype = \"git\"\nurl = \"https://g.test/b\"\n",
	  "a -\nb git\n" },
	{ "pylock.toml",
	  "[[packages]]\nname = \"a\"\nversion = \"1\"\n[[packages]]\nname = \"b\"\n"
	  "version = \"1\"\nvcs = { type = \"git\" }\n",
	  "a -\nb vcs\n" },
};

static void where_it_is_from_and_what_for_is_read(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(origins); i++) {
		pmg_auto(resolved) struct pmg_resolved set = { 0 };
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_resolved_text(&set, origins[i].file, origins[i].text,
						   strlen(origins[i].text), &err),
				 0);
		for (k = 0; k < set.n; k++)
			assert_int_equal(pmg_str_addf(&out, "%s%s %s\n",
						      set.v[k].foreign ? "!" : "", set.v[k].name,
						      set.v[k].url ? set.v[k].url : "-"),
					 0);
		assert_string_equal(out.s, origins[i].told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_it_is_from_and_what_for_is_read),
		cmocka_unit_test(each_format_says_what_is_pinned),
		cmocka_unit_test(what_is_installed_is_found_however_deep),
		cmocka_unit_test(links_that_managers_make_are_followed),
		cmocka_unit_test(what_is_installed_says_where_it_is_from),
		cmocka_unit_test(what_a_line_asks_for_is_a_version_or_open),
		cmocka_unit_test(all_that_tells_of_an_installed_project_is_read),
		cmocka_unit_test(what_is_there_already_is_known_again),
		cmocka_unit_test(what_is_not_there_is_said),
		cmocka_unit_test(each_manager_has_its_lockfiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
