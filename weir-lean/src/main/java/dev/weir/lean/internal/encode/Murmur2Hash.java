package dev.weir.lean.internal.encode;

/**
 * Computes the partition of a key as Kafka's default partitioner does: Austin Appleby's MurmurHash2 with Kafka's seed.
 * Stateless.
 */
public final class Murmur2Hash {

    private static final int SEED = 0x9747b28c;
    private static final int M = 0x5bd1e995;
    private static final int R = 24;

    private Murmur2Hash() {}

    /** Returns the partition of a non-null key. */
    public static int partition(RecordPart key, int partitions) {
        return (hash(key) & Integer.MAX_VALUE) % partitions;
    }

    private static int hash(RecordPart key) {
        int length = key.length();
        int whole = length & ~3;
        int h = SEED ^ length;
        for (int at = 0; at < whole; at += Integer.BYTES) {
            int k = littleEndian(key, at, Integer.BYTES) * M;
            h = (h * M) ^ ((k ^ (k >>> R)) * M);
        }
        if (whole < length) {
            h = (h ^ littleEndian(key, whole, length - whole)) * M;
        }
        h = (h ^ (h >>> 13)) * M;
        return h ^ (h >>> 15);
    }

    private static int littleEndian(RecordPart key, int from, int count) {
        int number = 0;
        for (int i = count - 1; i >= 0; i--) {
            number = (number << Byte.SIZE) | key.unsignedByte(from + i);
        }
        return number;
    }
}
