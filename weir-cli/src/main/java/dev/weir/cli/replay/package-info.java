/** {@code weir replay}: sends dead-letter records back to their origin, once each. A plain loop on the main thread. */
@NullMarked
package dev.weir.cli.replay;

import org.jspecify.annotations.NullMarked;
