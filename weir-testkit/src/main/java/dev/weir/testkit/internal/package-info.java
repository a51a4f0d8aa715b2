/**
 * Lays out, formats, starts and stops the brokers of a cluster, each in this JVM or in its own. Only the testkit uses
 * this package; a forked JVM starts at {@code BrokerMain} or {@code ReleaseMain}.
 */
@NullMarked
package dev.weir.testkit.internal;

import org.jspecify.annotations.NullMarked;
