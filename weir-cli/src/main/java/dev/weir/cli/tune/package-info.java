/**
 * {@code weir demo --tune}: several versions of the Asimov pipeline over the same events. The measurements of a version
 * lead to the next one. Prints one line per step.
 */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;
