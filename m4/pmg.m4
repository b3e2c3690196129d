# PMG_NEEDS_BEGIN, PMG_NEEDS(VAR, MODULE, DEBIAN, FEDORA)..., PMG_NEEDS_END
# Looks for each library by pkg-config and, at the end, names all that are
# missing at once with the packages that bring them.
AC_DEFUN([PMG_NEEDS_BEGIN], [pmg_missing=; pmg_debian=; pmg_fedora=])
AC_DEFUN([PMG_NEEDS], [
PKG_CHECK_MODULES([$1], [$2], [:], [
  pmg_missing="$pmg_missing
  $2: $3 (Debian, Ubuntu), $4 (Fedora)"
  pmg_debian="$pmg_debian $3"
  pmg_fedora="$pmg_fedora $4"
])])
AC_DEFUN([PMG_NEEDS_END], [
AS_IF([test -n "$pmg_missing"], [AC_MSG_ERROR([these libraries are missing:$pmg_missing
Install them with one of
  apt-get install$pmg_debian
  dnf install$pmg_fedora])])])

# --enable-sanitize: address and undefined-behaviour sanitizers, no recovery.
AC_DEFUN([PMG_ARG_SANITIZE], [
AC_ARG_ENABLE([sanitize], [AS_HELP_STRING([--enable-sanitize], [build with ASan and UBSan])])
PMG_SANITIZE=
AS_IF([test "x$enable_sanitize" = xyes], [
  PMG_SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  AC_DEFINE([PMG_SANITIZE], [1], [Built with sanitizers])])
AM_CONDITIONAL([SANITIZE], [test "x$enable_sanitize" = xyes])
AC_SUBST([PMG_SANITIZE])])

# --enable-fuzz: the fuzz targets get libFuzzer's main (clang only). Comes after PMG_ARG_SANITIZE.
AC_DEFUN([PMG_ARG_FUZZ], [
AC_ARG_ENABLE([fuzz], [AS_HELP_STRING([--enable-fuzz], [build fuzz targets with libFuzzer (clang)])])
PMG_FUZZ_MAIN=
AS_IF([test "x$enable_fuzz" = xyes], [
  PMG_SANITIZE="$PMG_SANITIZE -fsanitize=fuzzer-no-link"
  PMG_FUZZ_MAIN="-fsanitize=fuzzer"])
AC_SUBST([PMG_FUZZ_MAIN])
AM_CONDITIONAL([FUZZ], [test "x$enable_fuzz" = xyes])])

# --enable-werror, and the hardening flags of a release.
AC_DEFUN([PMG_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])])
PMG_WARN="-Wall -Wextra -Wshadow -Wconversion -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes"
PMG_WARN="$PMG_WARN -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wswitch-enum -Wimplicit-fallthrough"
AS_IF([test "x$enable_werror" = xyes], [PMG_WARN="$PMG_WARN -Werror"])
AS_IF([test "x$enable_sanitize" = xyes], [PMG_HARDEN="-O1 -g"],
  [PMG_HARDEN="-D_FORTIFY_SOURCE=2 -fstack-protector-strong"])
AC_SUBST([PMG_WARN])
AC_SUBST([PMG_HARDEN])])
