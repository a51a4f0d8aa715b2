/**
 * {@code weir replay}: sends dead-letter records back to their origin, once each. A plain loop on a thread of its own.
 */
@NullMarked
package dev.weir.cli.replay;

import org.jspecify.annotations.NullMarked;
