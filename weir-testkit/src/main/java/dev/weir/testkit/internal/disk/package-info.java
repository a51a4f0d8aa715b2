/**
 * Contains a disk that fails on command. It is the default file system of a forked broker, through which all writes to
 * the broker's log directory pass. It is loaded before any other class of the broker and uses only the JDK. The thread
 * that reads the owner's pipe executes commands; all threads of the broker write.
 */
@NullMarked
package dev.weir.testkit.internal.disk;

import org.jspecify.annotations.NullMarked;
