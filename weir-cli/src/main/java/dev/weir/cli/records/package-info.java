/**
 * {@code weir produce} and {@code weir consume}: lines into a topic, and a topic's records as lines. Input: lines or
 * generated records, or partitions of a topic. Output: records, or text and JSON on standard output.
 */
@NullMarked
package dev.weir.cli.records;

import org.jspecify.annotations.NullMarked;
