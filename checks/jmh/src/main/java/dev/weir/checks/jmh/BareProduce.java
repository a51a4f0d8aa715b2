package dev.weir.checks.jmh;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.zip.CRC32C;

/**
 * What can be written at most: one blocking socket to the one broker, five requests in flight, acks of all. A request
 * has one batch for each of some partitions, which is either encoded in it, as full as it gets, or written from where
 * it lies. The producer is idempotent: it has asked for an id and counts its sequences. It can nothing else: no
 * leaders, no second try, no linger, no compression, no other thread. Versions 0 and 3, the oldest that brokers take.
 * Confined to one thread.
 */
final class BareProduce implements Closeable {
    private static final short PRODUCE = 0;
    private static final short PRODUCE_VERSION = 3;
    private static final short INIT_PRODUCER_ID = 22;
    private static final int IN_FLIGHT = 5;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int MAX_REQUEST_BYTES = 1 << 20; // as with the others
    private static final int MAX_HEAD_BYTES = 1024;
    private static final int BATCH_HEADER = 61;
    static final int BATCH_ATTRIBUTES = 21;
    static final int BATCH_CRC = 17;

    private final byte[] topic;
    private final int batchBytes;
    private final Runnable acknowledged;
    private final SocketChannel socket;
    private final CRC32C crc = new CRC32C();
    private final Queue<Integer> inFlight = new ArrayDeque<>(); // records of each request
    private final ByteBuffer request;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 16);
    private final int[] sequences;
    private long producerId;
    private short epoch;
    private int turn;

    /** @param acknowledged called for each record that the broker has acknowledged */
    BareProduce(String broker, String topic, int partitions, int batchBytes, Runnable acknowledged) throws IOException {
        this.topic = topic.getBytes(StandardCharsets.UTF_8);
        this.batchBytes = batchBytes;
        this.acknowledged = acknowledged;
        this.sequences = new int[partitions];
        this.request = ByteBuffer.allocateDirect(MAX_HEAD_BYTES + Math.max(MAX_REQUEST_BYTES, batchBytes));
        this.socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int colon = broker.lastIndexOf(':');
        socket.connect(
                new InetSocketAddress(broker.substring(0, colon), Integer.parseInt(broker.substring(colon + 1))));
        askForId();
    }

    private void askForId() throws IOException {
        request.clear().position(Integer.BYTES);
        request.putShort(INIT_PRODUCER_ID).putShort((short) 0).putInt(0).putShort((short) -1); // no client id
        request.putShort((short) -1).putInt(Integer.MAX_VALUE); // no transactional id
        write(request.putInt(0, request.position() - Integer.BYTES).flip());
        receive();
        answer.position(2 * Integer.BYTES); // correlation, throttling
        check("a producer id", answer.getShort());
        producerId = answer.getLong();
        epoch = answer.getShort();
    }

    /** Writes so many records of one value, in turn to each partition; returns when all are acknowledged. */
    void send(byte[] value, long records) throws IOException {
        int perBatch = (batchBytes - BATCH_HEADER) / sizeOf(batchBytes / value.length, value.length);
        int batches = Math.clamp(MAX_REQUEST_BYTES / batchBytes, 1, sequences.length);
        long left = records;
        while (left > 0) {
            startRequest();
            int count = 0;
            int inThis = 0;
            for (; count < batches && left > 0; count++) {
                int fits = (int) Math.min(left, perBatch);
                encode(turn++ % sequences.length, value, fits);
                left -= fits;
                inThis += fits;
            }
            finishRequest(count);
            awaitRoom();
            write(request);
            inFlight.add(inThis);
        }
        flush();
    }

    /**
     * Writes batches as they lie in a buffer of fetched ones, whoever their producer is: nothing of them is looked at
     * or copied, and only their offsets are taken away. Returns when the system has them.
     *
     * @param places of each batch: partition, first byte, the one behind the last
     */
    void forward(ByteBuffer from, int[][] places, int count) throws IOException {
        startRequest();
        int records = 0;
        request.putInt(countAt(), count);
        ByteBuffer[] parts = new ByteBuffer[2 * count];
        int size = request.position() - Integer.BYTES;
        int headFrom = 0;
        for (int i = 0; i < count; i++) {
            int length = places[i][2] - places[i][1];
            from.putLong(places[i][1], 0); // of its offset brokers want nothing, and no checksum has it
            request.putInt(places[i][0]).putInt(length);
            parts[2 * i] = request.duplicate().position(headFrom).limit(request.position());
            parts[2 * i + 1] = from.duplicate().limit(places[i][2]).position(places[i][1]);
            headFrom = request.position();
            size += 2 * Integer.BYTES + length;
            records += from.getInt(places[i][1] + BATCH_HEADER - Integer.BYTES);
        }
        request.putInt(0, size);
        awaitRoom();
        while (parts[parts.length - 1].hasRemaining()) {
            socket.write(parts);
        }
        inFlight.add(records);
    }

    /** Waits until all is acknowledged. */
    void flush() throws IOException {
        while (!inFlight.isEmpty()) {
            acknowledge();
        }
    }

    private void startRequest() {
        request.clear().position(Integer.BYTES);
        request.putShort(PRODUCE).putShort(PRODUCE_VERSION).putInt(0).putShort((short) -1); // no client id
        request.putShort((short) -1).putShort((short) -1).putInt(TIMEOUT_MILLIS); // no transactional id, acks of all
        request.putInt(1).putShort((short) topic.length).put(topic).putInt(0); // the number of batches: later
    }

    private int countAt() {
        return Integer.BYTES + 8 + 2 + 8 + 4 + Short.BYTES + topic.length;
    }

    private void finishRequest(int batches) {
        request.putInt(countAt(), batches)
                .putInt(0, request.position() - Integer.BYTES)
                .flip();
    }

    private void encode(int partition, byte[] value, int records) {
        request.putInt(partition);
        int start = request.position() + Integer.BYTES;
        request.position(start + BATCH_HEADER);
        for (int i = 0; i < records; i++) {
            record(i, value);
        }
        int end = request.position();
        long now = System.currentTimeMillis();
        request.position(start - Integer.BYTES);
        request.putInt(end - start)
                .putLong(0)
                .putInt(end - start - 12)
                .putInt(-1)
                .put((byte) 2)
                .putInt(0);
        request.putShort((short) 0).putInt(records - 1).putLong(now).putLong(now);
        request.putLong(producerId).putShort(epoch).putInt(sequences[partition]).putInt(records);
        sequences[partition] += records;
        crc.reset();
        crc.update(request.limit(end).position(start + BATCH_ATTRIBUTES));
        request.limit(request.capacity());
        request.putInt(start + BATCH_CRC, (int) crc.getValue());
    }

    private static int bodyOf(int delta, int valueBytes) {
        return 1 + 1 + bytes(delta) + 1 + bytes(valueBytes) + valueBytes + 1;
    }

    private static int sizeOf(int delta, int valueBytes) {
        int body = bodyOf(delta, valueBytes);
        return bytes(body) + body;
    }

    private void record(int delta, byte[] value) {
        number(bodyOf(delta, value.length));
        request.put((byte) 0).put((byte) 0); // attributes, delta of the time
        number(delta);
        number(-1); // no key
        number(value.length);
        request.put(value);
        number(0); // no headers
    }

    private static int bytes(int value) {
        int raw = (value << 1) ^ (value >> 31);
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(raw)) / 7);
    }

    private void number(int value) {
        int rest = (value << 1) ^ (value >> 31);
        while ((rest & ~0x7f) != 0) {
            request.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        request.put((byte) rest);
    }

    private void awaitRoom() throws IOException {
        if (inFlight.size() == IN_FLIGHT) {
            acknowledge();
        }
    }

    private void acknowledge() throws IOException {
        receive();
        answer.position(2 * Integer.BYTES); // correlation, one topic
        answer.position(answer.position() + Short.BYTES + answer.getShort(answer.position()));
        for (int left = answer.getInt(); left > 0; left--) {
            check("partition " + answer.getInt(), answer.getShort());
            answer.position(answer.position() + 2 * Long.BYTES); // base offset, time of appending
        }
        for (int left = inFlight.remove(); left > 0; left--) {
            acknowledged.run();
        }
    }

    private static void check(String what, short error) throws IOException {
        if (error != 0) {
            throw new IOException(what + ": error code " + error + " of the broker");
        }
    }

    private void receive() throws IOException {
        fill(answer.clear().limit(Integer.BYTES));
        int length = answer.getInt(0);
        if (length > answer.capacity()) {
            throw new IOException("an answer of " + length + " bytes");
        }
        fill(answer.clear().limit(length));
        answer.flip();
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the broker closed the connection");
            }
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
