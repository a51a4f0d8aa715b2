/**
 * First drafts of the first three steps: a JSON tree, {@link java.net.URI}, and LZ-string as in JavaScript. Input: the
 * bytes of an event. Output: the result that {@link dev.weir.examples.asimov.AsimovTranslator} would return. The steps
 * may be called from any thread. They are the starting point of {@code weir demo --tune}.
 */
@NullMarked
package dev.weir.examples.asimov.naive;

import org.jspecify.annotations.NullMarked;
