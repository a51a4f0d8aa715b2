/**
 * Plans the layout of a cluster, and formats, starts and stops its brokers, each in this JVM or in a JVM of its own.
 * Only the testkit uses this package. The main class of a forked JVM is {@code BrokerMain} or {@code ReleaseMain}.
 */
@NullMarked
package dev.weir.testkit.internal;

import org.jspecify.annotations.NullMarked;
