package dev.weir.checks.jmh;

import dev.weir.lean.internal.batch.CodecException;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.batch.TooLargeException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A minimal consumer that shows the highest possible read rate. It has one blocking socket to one broker, and sends the
 * next fetch before it parses the last response. It iterates over all records, verifies each checksum, and adds up the
 * first eight bytes of each value. The lean path's own codecs decompress each batch. Error handling, leader lookup and
 * transactions are left out. Uses version 11 of the fetch request, without a session. Confined to one thread.
 */
final class BareLoop {

    private static final int MAX_BYTES = 64 * 1024 * 1024;
    private static final int PARTITION_BYTES = 1024 * 1024;
    private static final int BATCH_HEADER = 61;
    private static final int BATCH_ATTRIBUTES = 21;
    private static final int CODEC = 7; // the codec is in the lowest bits of the attributes

    private final String host;
    private final int port;
    private final byte[] topic;
    private final int[] partitions;
    private final long[] offsets;
    private final long[] ends;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer request = ByteBuffer.allocateDirect(64 * 1024);
    private final Batches batches;
    private final Decompressor decompressor = new Decompressor(MAX_BYTES);
    private ByteBuffer filling = ByteBuffer.allocateDirect(16 * 1024 * 1024);
    private ByteBuffer walked = ByteBuffer.allocateDirect(16 * 1024 * 1024);
    private int at;
    private long sum;
    private long count;

    /** A handler of fetched batches. */
    interface Batches {

        /**
         * Handles the batch from {@code from} to before {@code to}. The buffer does not change until {@link #end} is
         * called.
         */
        void batch(int partition, ByteBuffer bytes, int from, int to) throws IOException;

        /** Ends a response, before its buffer is reused. */
        void end() throws IOException;
    }

    /**
     * Creates a loop that iterates over the records of each batch.
     *
     * @param wanted the end offset of each partition of one topic, sorted by number
     */
    BareLoop(String bootstrap, Map<TopicPartition, Long> wanted) {
        this(bootstrap, wanted, null);
    }

    /**
     * Creates a loop that passes each batch to a handler.
     *
     * @param instead the handler of the batches; null to iterate over records
     */
    BareLoop(String bootstrap, Map<TopicPartition, Long> wanted, @Nullable Batches instead) {
        host = bootstrap.replaceAll(":.*", "");
        port = Integer.parseInt(bootstrap.replaceAll(".*:", ""));
        topic = wanted.keySet().iterator().next().topic().getBytes(StandardCharsets.UTF_8);
        partitions =
                wanted.keySet().stream().mapToInt(TopicPartition::partition).toArray();
        ends = wanted.values().stream().mapToLong(Long::longValue).toArray();
        offsets = new long[partitions.length];
        batches = instead == null ? new Walk() : instead;
    }

    private final class Walk implements Batches {
        @Override
        public void batch(int partition, ByteBuffer bytes, int from, int to) throws IOException {
            BareLoop.this.batch(bytes, from, to);
        }

        @Override
        public void end() {}
    }

    long sum() {
        return sum;
    }

    /** Reads all partitions up to their ends, and returns the number of records. */
    long run() throws IOException {
        try (decompressor;
                SocketChannel channel = SocketChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1024 * 1024);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(new InetSocketAddress(host, port));
            send(channel);
            while (true) {
                receive(channel);
                ByteBuffer response = filling;
                filling = walked;
                walked = response;
                boolean more = index(response);
                if (more) {
                    send(channel);
                }
                walk(response);
                if (!more) {
                    return count;
                }
            }
        }
    }

    private void send(SocketChannel channel) throws IOException {
        request.clear();
        request.putInt(0).putShort((short) 1).putShort((short) 11).putInt(1).putShort((short) -1);
        request.putInt(-1).putInt(500).putInt(1).putInt(8 * PARTITION_BYTES).put((byte) 0);
        request.putInt(0).putInt(-1);
        request.putInt(1).putShort((short) topic.length).put(topic).putInt(partitions.length);
        for (int i = 0; i < partitions.length; i++) {
            request.putInt(partitions[i])
                    .putInt(-1)
                    .putLong(offsets[i])
                    .putLong(-1)
                    .putInt(PARTITION_BYTES);
        }
        request.putInt(0).putShort((short) 0);
        request.putInt(0, request.position() - 4).flip();
        while (request.hasRemaining()) {
            channel.write(request);
        }
    }

    private void receive(SocketChannel channel) throws IOException {
        filling.clear().limit(4);
        fill(channel);
        int size = filling.getInt(0);
        if (size > MAX_BYTES) {
            throw new IOException("a response of " + size + " bytes");
        }
        if (size > filling.capacity()) {
            filling = ByteBuffer.allocateDirect(size);
        }
        filling.clear().limit(size);
        fill(channel);
    }

    private void fill(SocketChannel channel) throws IOException {
        while (filling.hasRemaining()) {
            if (channel.read(filling) < 0) {
                throw new IOException("closed");
            }
        }
    }

    /** Determines the next offsets from the batch headers. Returns false when all end offsets are reached. */
    private boolean index(ByteBuffer bytes) throws IOException {
        at = 4 + 4 + 2 + 4 + 4;
        at += 2 + bytes.getShort(at);
        int many = bytes.getInt(at);
        at += 4;
        for (int i = 0; i < many; i++) {
            int partition = Arrays.binarySearch(partitions, bytes.getInt(at));
            if (bytes.getShort(at + 4) != 0) {
                throw new IOException("error " + bytes.getShort(at + 4));
            }
            at += 4 + 2 + 8 + 8 + 8;
            at += 4 + 16 * Math.max(0, bytes.getInt(at)) + 4;
            int end = at + 4 + bytes.getInt(at);
            for (at += 4; end - at >= BATCH_HEADER && bytes.getInt(at + 8) + 12 <= end - at; ) {
                offsets[partition] = bytes.getLong(at) + bytes.getInt(at + 23) + 1;
                at += bytes.getInt(at + 8) + 12;
            }
            at = end;
        }
        for (int i = 0; i < ends.length; i++) {
            if (offsets[i] < ends[i]) {
                return true;
            }
        }
        return false;
    }

    private void walk(ByteBuffer bytes) throws IOException {
        at = 4 + 4 + 2 + 4 + 4;
        at += 2 + bytes.getShort(at);
        int many = bytes.getInt(at);
        at += 4;
        for (int i = 0; i < many; i++) {
            int partition = bytes.getInt(at);
            at += 4 + 2 + 8 + 8 + 8;
            at += 4 + 16 * Math.max(0, bytes.getInt(at)) + 4;
            int end = at + 4 + bytes.getInt(at);
            for (at += 4; end - at >= BATCH_HEADER && bytes.getInt(at + 8) + 12 <= end - at; ) {
                int next = at + bytes.getInt(at + 8) + 12;
                batches.batch(partition, bytes, at, next);
                at = next;
            }
            at = end;
        }
        batches.end();
    }

    /** Verifies the checksum of the batch between two positions, and iterates over its records. */
    void batch(ByteBuffer bytes, int from, int to) throws IOException {
        crc.reset();
        int limit = bytes.limit();
        crc.update(bytes.limit(to).position(from + BATCH_ATTRIBUTES));
        bytes.limit(limit).position(0);
        if ((int) crc.getValue() != bytes.getInt(from + 17)) {
            throw new IOException("checksum");
        }
        int records = bytes.getInt(from + 57);
        int codec = bytes.getShort(from + BATCH_ATTRIBUTES) & CODEC;
        if (codec == 0) {
            records(bytes, from + BATCH_HEADER, records);
        } else {
            records(decompressed(codec, bytes, from + BATCH_HEADER, to), 0, records);
        }
    }

    private ByteBuffer decompressed(int codec, ByteBuffer bytes, int from, int to) throws IOException {
        try {
            return decompressor.decompress(codec, bytes, from, to);
        } catch (CodecException | TooLargeException e) {
            throw new IOException("a batch of codec " + codec, e);
        }
    }

    private void records(ByteBuffer bytes, int from, int records) {
        int position = from;
        for (int i = 0; i < records; i++) {
            position = record(bytes, position);
        }
        count += records;
    }

    private int record(ByteBuffer bytes, int from) {
        at = from;
        int length = number(bytes);
        int end = at + length;
        at++;
        number(bytes);
        number(bytes);
        at += Math.max(0, number(bytes));
        number(bytes);
        sum += bytes.getLong(at);
        return end;
    }

    private int number(ByteBuffer bytes) {
        int raw = 0;
        int shift = 0;
        byte next;
        do {
            next = bytes.get(at++);
            raw |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return (raw >>> 1) ^ -(raw & 1);
    }
}
