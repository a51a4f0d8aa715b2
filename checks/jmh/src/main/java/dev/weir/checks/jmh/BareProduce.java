package dev.weir.checks.jmh;

import dev.weir.drivers.kafka.BareRequest;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A minimal producer that shows the highest possible write rate. It has one blocking socket to the only broker, keeps
 * five requests in flight, and requires acknowledgement by all replicas. A request has one batch for each of several
 * partitions, either encoded as full as possible or written from the buffer that contains it. The producer is
 * idempotent. Leader lookup, retries, linger, compression and additional threads are left out. Confined to one thread.
 */
final class BareProduce implements Closeable {
    private static final short INIT_PRODUCER_ID = 22;
    private static final int IN_FLIGHT = 5;
    private static final int MAX_REQUEST_BYTES = 1 << 20; // same as the other contenders

    private final int batchBytes;
    private final Runnable acknowledged;
    private final SocketChannel socket;
    private final Queue<Integer> inFlight = new ArrayDeque<>(); // the number of records in each request
    private final BareRequest request;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 16);
    private final int[] sequences;
    private long producerId;
    private short epoch;
    private int turn;

    /** @param acknowledged called for each acknowledged record */
    BareProduce(String broker, String topic, int partitions, int batchBytes, Runnable acknowledged) throws IOException {
        this.batchBytes = batchBytes;
        this.acknowledged = acknowledged;
        this.sequences = new int[partitions];
        this.request = new BareRequest(topic, Math.max(MAX_REQUEST_BYTES, batchBytes));
        this.socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int colon = broker.lastIndexOf(':');
        socket.connect(
                new InetSocketAddress(broker.substring(0, colon), Integer.parseInt(broker.substring(colon + 1))));
        askForId();
    }

    private void askForId() throws IOException {
        ByteBuffer question = ByteBuffer.allocate(32).position(Integer.BYTES);
        question.putShort(INIT_PRODUCER_ID).putShort((short) 0).putInt(0).putShort((short) -1); // no client id
        question.putShort((short) -1).putInt(Integer.MAX_VALUE); // no transactional id
        write(question.putInt(0, question.position() - Integer.BYTES).flip());
        receive();
        answer.position(2 * Integer.BYTES); // correlation, throttling
        check("a producer id", answer.getShort());
        producerId = answer.getLong();
        epoch = answer.getShort();
    }

    /** Writes records with the same value, to each partition in turn. Returns when all are acknowledged. */
    void send(byte[] value, long records) throws IOException {
        int perBatch = (batchBytes - BareRequest.BATCH_HEADER)
                / BareRequest.recordBytes(batchBytes / value.length, value.length);
        int batches = Math.clamp(MAX_REQUEST_BYTES / batchBytes, 1, sequences.length);
        long left = records;
        while (left > 0) {
            ByteBuffer unused = request.start();
            int inThis = 0;
            for (int count = 0; count < batches && left > 0; count++) {
                int fits = (int) Math.min(left, perBatch);
                encode(turn++ % sequences.length, value, fits);
                left -= fits;
                inThis += fits;
            }
            awaitRoom();
            write(request.finish());
            inFlight.add(inThis);
        }
        flush();
    }

    /**
     * Writes fetched batches directly from the fetch buffer, with their producer ids. Only their base offsets are
     * cleared. Returns when the operating system has accepted them.
     *
     * @param places for each batch: its partition, the position of its first byte, and the position after its last byte
     */
    void forward(ByteBuffer from, int[][] places, int count) throws IOException {
        ByteBuffer head = request.start();
        head.putInt(request.countAt(), count);
        int records = 0;
        ByteBuffer[] parts = new ByteBuffer[2 * count];
        int size = head.position() - Integer.BYTES;
        int headFrom = 0;
        for (int i = 0; i < count; i++) {
            int length = places[i][2] - places[i][1];
            from.putLong(places[i][1], 0); // brokers ignore the base offset, and the checksum does not cover it
            head.putInt(places[i][0]).putInt(length);
            parts[2 * i] = head.duplicate().position(headFrom).limit(head.position());
            parts[2 * i + 1] = from.duplicate().limit(places[i][2]).position(places[i][1]);
            headFrom = head.position();
            size += 2 * Integer.BYTES + length;
            records += from.getInt(places[i][1] + BareRequest.BATCH_HEADER - Integer.BYTES);
        }
        head.putInt(0, size);
        awaitRoom();
        while (parts[parts.length - 1].hasRemaining()) {
            socket.write(parts);
        }
        inFlight.add(records);
    }

    /** Waits until all records are acknowledged. */
    void flush() throws IOException {
        while (!inFlight.isEmpty()) {
            acknowledge();
        }
    }

    private void encode(int partition, byte[] value, int records) {
        request.begin(partition);
        for (int i = 0; i < records; i++) {
            request.add(value);
        }
        request.end(producerId, epoch, sequences[partition]);
        sequences[partition] += records;
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
