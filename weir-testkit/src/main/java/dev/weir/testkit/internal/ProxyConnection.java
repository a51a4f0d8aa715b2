package dev.weir.testkit.internal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** A client's connection to one broker, forwarded message by message. Each direction has two threads. */
final class ProxyConnection {

    private static final int MAX_MESSAGES_UNDER_WAY = 1024;

    private record Message(ByteBuffer body, long dueNanos, long lateNanos) {}

    /** A loop that reads or writes. Its failure or interrupt closes the connection. */
    @FunctionalInterface
    private interface Loop {
        void run() throws IOException, InterruptedException;
    }

    private final ProxyNetwork network;
    private final Socket client;
    private final Socket broker;
    private final List<Thread> threads;
    private final AtomicBoolean closed = new AtomicBoolean();

    ProxyConnection(ProxyNetwork network, Socket client, Socket broker) {
        this.network = network;
        this.client = client;
        this.broker = broker;
        AddressRewriter addresses = new AddressRewriter(network);
        BlockingQueue<Message> requests = new LinkedBlockingQueue<>(MAX_MESSAGES_UNDER_WAY);
        BlockingQueue<Message> responses = new LinkedBlockingQueue<>(MAX_MESSAGES_UNDER_WAY);
        this.threads = List.of(
                thread(() -> read(client, addresses::request, requests)),
                thread(() -> write(requests, broker)),
                thread(() -> read(broker, addresses::response, responses)),
                thread(() -> write(responses, client)));
    }

    private Thread thread(Loop loop) {
        return Thread.ofVirtual().name("weir-proxy").unstarted(() -> {
            try {
                loop.run();
            } catch (IOException | InterruptedException | RuntimeException ended) {
                // The connection is closed below.
            } finally {
                close();
            }
        });
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void read(Socket from, UnaryOperator<byte[]> change, BlockingQueue<Message> to)
            throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
        while (true) {
            int size = in.readInt();
            // The announced size may be huge. readNBytes() allocates memory for bytes that arrive.
            byte[] body = in.readNBytes(Math.max(0, size));
            if (body.length != size) {
                throw new EOFException("the end within a message of " + size + " bytes");
            }
            if (from == client && network.swallows(body)) {
                continue;
            }
            if (from == broker && network.rareAnswers().losesConnection()) {
                throw new EOFException("a rare loss");
            }
            long lateNanos = from == broker ? network.rareAnswers().lateNanos() : 0;
            to.put(new Message(ByteBuffer.wrap(change.apply(body)), network.dueNanos(), lateNanos));
        }
    }

    private void write(BlockingQueue<Message> from, Socket to) throws IOException, InterruptedException {
        OutputStream out = to.getOutputStream();
        while (true) {
            Message message = from.take();
            network.awaitPassage(message.dueNanos, message.lateNanos);
            // A single call per message sends as few packets as possible.
            ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + message.body.remaining())
                    .putInt(message.body.remaining())
                    .put(message.body);
            out.write(framed.array());
            out.flush();
        }
    }

    void close() {
        if (closed.compareAndSet(false, true)) {
            reset(client);
            reset(broker);
            threads.forEach(Thread::interrupt);
            network.ended(this);
        }
    }

    /** Closes a socket so that the other side notices immediately. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException gone) {
            // The connection is closed anyway.
        }
    }
}
