/**
 * Questions to the brokers that the owner thread must not wait for, its clock and its log. Answers come on any thread;
 * all other packages of the consumer may use this one, which uses none of them.
 */
@NullMarked
package dev.weir.kafka.internal.in.lookup;

import org.jspecify.annotations.NullMarked;
