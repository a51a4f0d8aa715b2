/**
 * Implements {@code weir demo --tune}. It runs several versions of the Asimov pipeline over the same events. Each
 * version is based on measurements of the previous one. The command prints one line per step.
 */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;
