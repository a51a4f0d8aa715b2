/**
 * A disk that fails on order: the default file system of a forked broker, which sees all writes to its log directory.
 * It is loaded before any other class of the broker and uses only the JDK. Orders come from the thread that reads the
 * owner's pipe, writes from all threads of the broker.
 */
@NullMarked
package dev.weir.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
