/**
 * {@code weir produce}, which writes lines to a topic, and {@code weir consume}, which prints a topic's records as
 * lines. Input: lines or generated records, or partitions of a topic. Output: records, or text and JSON on standard
 * output.
 */
@NullMarked
package dev.weir.cli.records;

import org.jspecify.annotations.NullMarked;
