#ifndef PMG_TESTS_HELPER_SIGNING_H
#define PMG_TESTS_HELPER_SIGNING_H
/** Keys for tests. The first is that of RFC 8032, 7.1, "TEST 1". */
#define SIGN_BEGIN "-----BEGIN PRIVATE KEY-----\n"
#define SIGN_END   "\n-----END PRIVATE KEY-----\n"
#define SIGN_KEY                                                                                   \
	SIGN_BEGIN "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g" SIGN_END
#define SIGN_OTHER                                                                                 \
	SIGN_BEGIN "MC4CAQAwBQYDK2VwBCIEIFDeYUUnkJqMlKuu0gjZjapvvHfTxZqrxwnqej3Eq10C" SIGN_END
#define SIGN_PUBLIC      "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define SIGN_PUBLIC_SPKI "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

#endif
