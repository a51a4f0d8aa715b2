/**
 * First drafts of the first three steps: a JSON tree, {@link java.net.URI}, and LZ-string as in JavaScript. Input: the
 * bytes of an event. Output: the result that {@link dev.weir.examples.asimov.AsimovTranslator} would return. Any thread
 * may call them. {@code weir demo --tune} starts with them.
 */
@NullMarked
package dev.weir.examples.asimov.naive;

import org.jspecify.annotations.NullMarked;
