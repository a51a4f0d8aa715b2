/**
 * First drafts of the first three steps: a JSON tree, {@link java.net.URI}, LZ-string as in JavaScript. The
 * bytes of an event come in and what {@link dev.weir.examples.asimov.AsimovTranslator} would give goes out, on any
 * thread. {@code weir demo --tune} begins with them.
 */
@NullMarked
package dev.weir.examples.asimov.naive;

import org.jspecify.annotations.NullMarked;
