/**
 * Figures from the beans of forked brokers: addresses of brokers come in, counts, times and series go out. Confined to
 * the campaign's thread.
 */
@NullMarked
package dev.weir.bench.beans;

import org.jspecify.annotations.NullMarked;
