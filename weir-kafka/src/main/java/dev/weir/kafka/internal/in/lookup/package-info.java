/**
 * Contains the broker queries that the owner thread must not wait for, and the owner thread's clock and log. Stages may
 * complete on any thread. All other packages of the consumer may use this package, which uses none of them.
 */
@NullMarked
package dev.weir.kafka.internal.in.lookup;

import org.jspecify.annotations.NullMarked;
