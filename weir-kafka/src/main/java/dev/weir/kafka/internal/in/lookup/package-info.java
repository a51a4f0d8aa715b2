/**
 * Broker queries that the owner thread must not wait for, its clock and its log. Stages complete on any thread. All
 * other packages of the consumer may use this one, which uses none of them.
 */
@NullMarked
package dev.weir.kafka.internal.in.lookup;

import org.jspecify.annotations.NullMarked;
