/**
 * Layout, formatting, start and stop of one broker, in this JVM or in one of its own. Nothing outside the testkit uses
 * it, except that a forked JVM starts at {@code BrokerMain} or {@code ReleaseMain}.
 */
@NullMarked
package dev.weir.testkit.internal;

import org.jspecify.annotations.NullMarked;
