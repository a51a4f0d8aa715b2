package dev.weir.drivers.kafka;

import dev.weir.driver.Pass;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A connection to the leader of some partitions. While the client reads the records of one response, the broker
 * prepares the next response and fills the socket's buffer with it. Confined to one thread.
 *
 * <pre>
 * batch:  base offset 8 | length 4 | leader epoch 4 | magic 1 | crc 4 | attributes 2 | ... 40 | count 4 | records
 *         the crc covers what follows it; records begin at byte 61
 * record: length varint | attributes 1 | timestamp varlong | offset varint
 *         | key varint + bytes | value varint + bytes | ...
 * </pre>
 */
final class BareConnection implements Closeable {
    private static final short FETCH = 1;
    private static final short FETCH_VERSION = 4;
    private static final int MAX_WAIT_MILLIS = 500;
    private static final int MAX_BYTES = 8 << 20;
    private static final int MAX_PARTITION_BYTES = 2 << 20;
    private static final int BATCH_HEADER = 61;
    private static final int BATCH_LENGTH = 8;
    private static final int BATCH_OVERHEAD = 12; // up to and including the length
    private static final int BATCH_CRC = 17;
    private static final int BATCH_ATTRIBUTES = 21;
    private static final int BATCH_COUNT = 57;

    private final List<Integer> partitions;
    private final long[] nextOffsets;
    private final String topic;
    private final Pass pass;
    private final SocketChannel socket;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer request = ByteBuffer.allocateDirect(64 * 1024);
    private final ByteBuffer size = ByteBuffer.allocateDirect(4);
    private final Kind kind;
    private long openedNanos;
    private long answeredNanos; // time of the last response
    private long idleNanos; // total time without a fetch in flight
    private ByteBuffer answer = ByteBuffer.allocateDirect(MAX_BYTES + (1 << 20));

    /** The way of handling a response. */
    enum Kind {
        /** Walks the records of a response while the next fetch is in flight. */
        WALKING,
        /**
         * Walks the records of a response before it sends the next fetch. This deliberate flaw must be visible in the
         * benchmark's results.
         */
        STOP_AND_WAIT,
        /**
         * Reads only the batch headers and takes offsets as record numbers, which is wrong with transactions. This
         * measures only the brokers and the network.
         */
        DISCARDING
    }

    BareConnection(String leader, List<Integer> partitions, Pass pass, Kind kind) throws IOException {
        this.kind = kind;
        this.partitions = new ArrayList<>(partitions);
        this.nextOffsets = new long[pass.configuration().partitions()];
        this.topic = pass.configuration().topic();
        this.pass = pass;
        int colon = leader.lastIndexOf(':');
        this.socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.connect(
                new InetSocketAddress(leader.substring(0, colon), Integer.parseInt(leader.substring(colon + 1))));
    }

    /** Requests the records after the ones received so far. */
    void request() throws IOException {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        request.clear().position(4);
        request.putShort(FETCH).putShort(FETCH_VERSION).putInt(0).putShort((short) -1); // no client id
        request.putInt(-1).putInt(MAX_WAIT_MILLIS).putInt(1).putInt(MAX_BYTES).put((byte) 0);
        request.putInt(1).putShort((short) name.length).put(name).putInt(partitions.size());
        // Brokers fill a response in the order of the request's partitions. Rotate the partitions to treat all equally.
        Collections.rotate(partitions, 1);
        for (int partition : partitions) {
            request.putInt(partition).putLong(nextOffsets[partition]).putInt(MAX_PARTITION_BYTES);
        }
        request.putInt(0, request.position() - 4).flip();
        while (request.hasRemaining()) {
            socket.write(request);
        }
        long now = System.nanoTime();
        if (openedNanos == 0) {
            openedNanos = now;
        } else {
            idleNanos += now - answeredNanos;
        }
    }

    /** Returns the fraction of the elapsed time with a fetch in flight, from 0 to 1. */
    double underWayShare() {
        long all = System.nanoTime() - openedNanos;
        return openedNanos == 0 || all <= 0 ? 0 : 1 - idleNanos / (double) all;
    }

    /** Reads a response, requests the next one, and walks the records of the response just read. */
    void receive() throws IOException {
        fill(size.clear());
        int length = size.getInt(0);
        if (length > answer.capacity()) {
            answer = ByteBuffer.allocateDirect(length);
        }
        fill(answer.clear().limit(length));
        answeredNanos = System.nanoTime();
        answer.flip().position(12); // skips correlation id, throttle time and number of topics
        answer.position(answer.position() + 2 + answer.getShort(answer.position()));
        int body = answer.position();
        // Find the next fetch offset in the batch headers, then send the next fetch before reading any record.
        walk(body, false);
        if (kind == Kind.STOP_AND_WAIT) {
            walk(body, true);
            request();
        } else {
            request();
            walk(body, true);
        }
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the broker closed the connection");
            }
        }
    }

    private void walk(int body, boolean records) throws IOException {
        answer.position(body);
        for (int left = answer.getInt(); left > 0; left--) {
            int partition = answer.getInt();
            short error = answer.getShort();
            if (error != 0) {
                throw new IOException("partition " + partition + ": error code " + error + " of the broker");
            }
            answer.position(answer.position() + 16); // skips high watermark and last stable offset
            int aborted = answer.getInt();
            answer.position(answer.position() + Math.max(0, aborted) * 16);
            int end = answer.getInt() + answer.position();
            int batch = answer.position();
            while (end - batch >= BATCH_HEADER) {
                int next = batch + BATCH_OVERHEAD + answer.getInt(batch + BATCH_LENGTH);
                if (next > end) {
                    break; // the batch is truncated; the next fetch returns it
                }
                if (records && kind == Kind.DISCARDING) {
                    discard(partition, batch);
                } else if (records) {
                    records(partition, batch, next);
                } else {
                    nextOffsets[partition] = answer.getLong(batch) + answer.getInt(batch + 23) + 1;
                }
                batch = next;
            }
            answer.position(end);
        }
    }

    private void discard(int partition, int batch) throws IOException {
        if ((answer.getShort(batch + BATCH_ATTRIBUTES) & 0x30) != 0) {
            throw new IOException("bare-discard counts by offsets, and transactions have some to themselves");
        }
        long first = answer.getLong(batch);
        int count = answer.getInt(batch + BATCH_COUNT);
        int valueBytes = pass.configuration().valueBytes();
        for (int i = 0; i < count; i++) {
            pass.delivered(partition, first + i, 0, valueBytes);
        }
    }

    private void records(int partition, int batch, int end) throws IOException {
        crc.reset();
        int limit = answer.limit();
        answer.limit(end).position(batch + BATCH_ATTRIBUTES);
        crc.update(answer);
        answer.limit(limit);
        if ((int) crc.getValue() != answer.getInt(batch + BATCH_CRC)) {
            throw new IOException("partition " + partition + ": wrong CRC at offset " + answer.getLong(batch));
        }
        if ((answer.getShort(batch + BATCH_ATTRIBUTES) & 0x27) != 0) {
            throw new IOException("the bare driver reads neither compressed nor control batches");
        }
        answer.position(batch + BATCH_HEADER);
        for (int left = answer.getInt(batch + BATCH_COUNT); left > 0; left--) {
            int length = varint();
            int next = answer.position() + length;
            answer.get();
            varlong();
            varint();
            int keyLength = Math.max(0, varint());
            answer.position(answer.position() + keyLength);
            int valueLength = varint();
            int value = answer.position();
            pass.delivered(partition, answer.getLong(value), answer.getLong(value + Long.BYTES), valueLength);
            answer.position(next);
        }
    }

    private int varint() {
        return (int) varlong();
    }

    private long varlong() {
        long raw = answer.get();
        if (raw < 0) {
            raw &= 0x7f;
            int shift = 7;
            byte more;
            do {
                more = answer.get();
                raw |= (long) (more & 0x7f) << shift;
                shift += 7;
            } while (more < 0);
        }
        return (raw >>> 1) ^ -(raw & 1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
