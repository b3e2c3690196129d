/* pmg: a package-manager guard. The front; what it does is in cli/ and run/. */
#include "cli/front.h"
#include "run/self.h"

PMG_SELF_NOTE;

int main(int argc, char **argv)
{
	(void)argc;
	return pmg_front_main(argv);
}
