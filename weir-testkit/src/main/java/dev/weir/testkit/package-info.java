/**
 * Contains real Kafka brokers for tests and development machines, and helpers that write and read their topics. A
 * cluster owns its brokers, folder and admin client. Any thread may use the cluster, its brokers and these helpers; the
 * comments of other types name their threads.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
