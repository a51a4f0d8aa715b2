/**
 * Real Kafka brokers for a test or a development machine, and helpers that fill and read their topics. A cluster owns
 * its brokers, folder and admin client; any thread may use every type here.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
