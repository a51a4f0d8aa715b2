package dev.weir.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of the records of a pass, big-endian. Stateless. The rest of a value has arbitrary content.
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
 * <p>The number of a record is its position in its partition, counted from 0. Only {@link Scenario#COPY} needs the
 * partition. It is left out of planned values that are too short for it. All records of a key are in one partition.
 */
public final class RecordLayout {
    /** The smallest size of a value, which holds the number and the planned time. */
    public static final int MIN_VALUE_BYTES = 16;

    /** The position of the partition in a value without a planned time. */
    public static final int PARTITION_BEHIND_NUMBER = 12;

    /** The position of the partition in a value with a planned time. */
    public static final int PARTITION_BEHIND_TIME = 16;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private RecordLayout() {}

    /** Returns the number of a record in its partition. */
    public static long number(byte[] value) {
        return (long) LONGS.get(value, 0);
    }

    /** Returns the partition that a value contains. The value must be long enough. */
    public static int partition(byte[] value, int partitionAt) {
        return (int) INTS.get(value, partitionAt);
    }

    /** Returns the time when a record is due; 0 for no planned time. */
    static long dueNanos(byte[] value) {
        return (long) LONGS.get(value, Long.BYTES);
    }

    static int numberOfKey(byte[] key) {
        return (int) INTS.get(key, 0);
    }

    static byte[] value(int bytes, long number) {
        byte[] value = new byte[bytes];
        LONGS.set(value, 0, number);
        return value;
    }

    static byte[] value(int bytes, long number, long dueNanos, int partition) {
        byte[] value = value(bytes, number);
        LONGS.set(value, Long.BYTES, dueNanos);
        if (bytes >= PARTITION_BEHIND_TIME + Integer.BYTES) {
            INTS.set(value, PARTITION_BEHIND_TIME, partition);
        }
        return value;
    }
}
