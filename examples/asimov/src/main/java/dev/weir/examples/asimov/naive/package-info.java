/**
 * The first three steps as one writes them first: a JSON tree, {@link java.net.URI}, and LZ-string as its JavaScript is.
 * The bytes of an event come in and the same values as from {@link dev.weir.examples.asimov.AsimovTranslator} go out, on
 * any thread. {@code weir demo --tune} begins with them.
 */
@NullMarked
package dev.weir.examples.asimov.naive;

import org.jspecify.annotations.NullMarked;
