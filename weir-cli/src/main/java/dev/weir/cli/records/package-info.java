/**
 * {@code weir produce}, which writes lines to a topic, and {@code weir consume}, which prints a topic's records as
 * lines.
 */
@NullMarked
package dev.weir.cli.records;

import org.jspecify.annotations.NullMarked;
