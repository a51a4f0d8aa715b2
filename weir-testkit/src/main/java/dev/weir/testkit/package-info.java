/**
 * Contains real Kafka brokers for tests and development machines, and helpers for writing and reading their topics. A
 * cluster owns its brokers, folder and admin client. The cluster, its brokers and these helpers are thread-safe; the
 * threading of other types is described in their own comments.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
