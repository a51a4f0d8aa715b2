/**
 * A disk that fails on order: the default file system of a forked broker, below which writes to its log directory go.
 * It is loaded before any other class of the broker and uses the JDK alone. Orders come from the thread that listens to
 * the broker's owner, writes from all of its threads.
 */
@NullMarked
package dev.weir.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
