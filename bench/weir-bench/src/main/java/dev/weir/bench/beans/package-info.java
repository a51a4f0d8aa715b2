/**
 * Reads figures from the JMX beans of forked brokers: counts, request times and series. Confined to the campaign's
 * thread.
 */
@NullMarked
package dev.weir.bench.beans;

import org.jspecify.annotations.NullMarked;
