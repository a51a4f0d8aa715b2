/**
 * Simple, slow versions of the first three steps of {@link dev.weir.examples.asimov.AsimovTranslator}. They read the
 * event into a JSON tree, parse its address with {@link java.net.URI}, and decompress its payload with a line-by-line
 * translation of the JavaScript package lz-string. Any thread may call them. {@code weir demo --tune} starts with these
 * versions.
 */
@NullMarked
package dev.weir.examples.asimov.naive;

import org.jspecify.annotations.NullMarked;
