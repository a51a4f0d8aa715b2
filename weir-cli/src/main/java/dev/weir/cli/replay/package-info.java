/**
 * {@code weir replay}: sends each dead-letter record back to its origin once. A simple loop that runs on its own
 * thread.
 */
@NullMarked
package dev.weir.cli.replay;

import org.jspecify.annotations.NullMarked;
