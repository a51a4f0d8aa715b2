/**
 * Contains a disk that fails on command. It is the default file system of a forked broker, so all writes to the
 * broker's log directory pass through it. It is loaded before any other class of the broker and uses only the JDK.
 * Commands are executed by the thread that reads the owner's pipe; files are written by all threads of the broker.
 */
@NullMarked
package dev.weir.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
