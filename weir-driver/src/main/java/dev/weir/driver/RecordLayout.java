package dev.weir.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of the records of a pass, big-endian. Stateless. What follows in a value is any content.
 *
 * <pre>
 *         0             4             8             12            16            20
 *         +---------------------------+---------------------------+-------------+
 * planned | number                    | due, in nanoseconds       | partition   |
 *         +---------------------------+-------------+-------------+-------------+
 * others  | number                    |             | partition   |
 *         +-------------+-------------+-------------+-------------+
 * key     | its number  |
 *         +-------------+
 * </pre>
 *
 * <p>The number of a record is the one in its partition, from 0. Only {@link Scenario#COPY} asks for the partition; a
 * plan leaves it out of a value that has no room for it. All records of a key are in one partition.
 */
public final class RecordLayout {
    /** The smallest value size: its number and planned time. */
    public static final int MIN_VALUE_BYTES = 16;

    /** The position of the partition in a value without a planned time: in the second half of that time's field. */
    public static final int PARTITION_BEHIND_NUMBER = 12;

    /** The position of the partition in a value with a planned time. */
    public static final int PARTITION_BEHIND_TIME = 16;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private RecordLayout() {}

    /** The number of a record in its partition. */
    public static long number(byte[] value) {
        return (long) LONGS.get(value, 0);
    }

    /** The partition of a record whose value contains it; the value must be long enough. */
    public static int partition(byte[] value, int partitionAt) {
        return (int) INTS.get(value, partitionAt);
    }

    /** The time when a record is due; 0 for none. */
    static long dueNanos(byte[] value) {
        return (long) LONGS.get(value, Long.BYTES);
    }

    static int numberOfKey(byte[] key) {
        return (int) INTS.get(key, 0);
    }

    /** A new value of that length. */
    static byte[] value(int bytes, long number) {
        byte[] value = new byte[bytes];
        LONGS.set(value, 0, number);
        return value;
    }

    /** A new value of a planned record. */
    static byte[] value(int bytes, long number, long dueNanos, int partition) {
        byte[] value = value(bytes, number);
        LONGS.set(value, Long.BYTES, dueNanos);
        if (bytes >= PARTITION_BEHIND_TIME + Integer.BYTES) {
            INTS.set(value, PARTITION_BEHIND_TIME, partition);
        }
        return value;
    }
}
