/**
 * Layout, formatting, start and stop of one broker, in this JVM or in its own. Only the testkit uses it; a forked JVM
 * starts at {@code BrokerMain} or {@code ReleaseMain}.
 */
@NullMarked
package dev.weir.testkit.internal;

import org.jspecify.annotations.NullMarked;
