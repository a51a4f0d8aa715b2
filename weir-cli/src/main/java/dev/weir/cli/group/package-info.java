/**
 * Groups as the brokers describe them: members, and the lag of each partition in records and time. Input: admin and
 * consumer clients. Output: snapshots. A reader is confined to one thread.
 */
@NullMarked
package dev.weir.cli.group;

import org.jspecify.annotations.NullMarked;
