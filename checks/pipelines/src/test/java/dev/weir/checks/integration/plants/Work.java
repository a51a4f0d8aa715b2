package dev.weir.checks.integration.plants;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A planted call in a stage. It counts the time that callers spend in it, independently of Weir. Thread-safe. */
final class Work {

    /** The way a call spends its time. */
    enum Means {
        COMPUTE,
        PARK,
        SOCKET,
        LOCK
    }

    private static final double LOOPS_PER_NANO = loopsPerNano();

    final Means means;
    final Duration time;
    private final ReentrantLock shared = new ReentrantLock();

    /** Guards the counted time, which must match the number of calls. */
    private final ReentrantLock account = new ReentrantLock();

    private long inside;
    private long left;
    private long spent;

    Work(Means means, Duration time) {
        this.means = means;
        this.time = time;
    }

    /** Returns work that takes {@code share} of the time, for a neighbour of the limiter. */
    Work lighter(double share) {
        return new Work(means, Duration.ofNanos((long) (time.toNanos() * share)));
    }

    <T> T call(T element) {
        enter();
        try {
            switch (means) {
                case COMPUTE -> compute(time.toNanos());
                case PARK -> park(time.toNanos());
                case SOCKET -> Echo.ask(time);
                case LOCK -> {
                    shared.lock();
                    try {
                        park(time.toNanos());
                    } finally {
                        shared.unlock();
                    }
                }
            }
        } finally {
            leave();
        }
        return element;
    }

    <T> CompletionStage<T> later(T element) {
        enter();
        return CompletableFuture.supplyAsync(
                () -> {
                    leave();
                    return element;
                },
                CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS));
    }

    private void enter() {
        account.lock();
        try {
            inside++;
            spent -= System.nanoTime();
        } finally {
            account.unlock();
        }
    }

    private void leave() {
        account.lock();
        try {
            inside--;
            left++;
            spent += System.nanoTime();
        } finally {
            account.unlock();
        }
    }

    long calls() {
        account.lock();
        try {
            return left;
        } finally {
            account.unlock();
        }
    }

    /** Returns the time that callers have spent in this work, including current callers. */
    long spentNanos() {
        account.lock();
        try {
            return spent + inside * System.nanoTime();
        } finally {
            account.unlock();
        }
    }

    static void compute(long nanos) {
        long loops = (long) (nanos * LOOPS_PER_NANO);
        if (spin(loops) == 42) {
            throw new IllegalStateException("never");
        }
    }

    private static long spin(long loops) {
        long mixed = loops;
        for (long i = 0; i < loops; i++) {
            mixed = mixed * 6_364_136_223_846_793_005L + i;
        }
        return mixed;
    }

    /** Returns the speed of the fastest of several rounds, because other processes interrupt some rounds. */
    private static double loopsPerNano() {
        long loops = 2_000_000;
        long best = Long.MAX_VALUE;
        for (int turn = 0; turn < 20; turn++) {
            long start = System.nanoTime();
            if (spin(loops) == 42) {
                throw new IllegalStateException("never");
            }
            best = Math.min(best, System.nanoTime() - start);
        }
        return (double) loops / best;
    }

    static void park(long nanos) {
        long end = System.nanoTime() + nanos;
        while (true) {
            long rest = end - System.nanoTime();
            if (rest <= 0 || Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(rest);
        }
    }

    /** A loopback service that answers after the requested time. */
    private static final class Echo {

        private static final ServerSocket SERVER = open();
        private static final Queue<Socket> IDLE = new ConcurrentLinkedQueue<>();

        private static ServerSocket open() {
            try {
                ServerSocket server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
                Thread.ofPlatform().daemon().name("echo").start(() -> serve(server));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void serve(ServerSocket server) {
            while (true) {
                try {
                    Socket client = server.accept();
                    Thread.ofVirtual().start(() -> answer(client));
                } catch (IOException e) {
                    return;
                }
            }
        }

        private static void answer(Socket client) {
            try (client) {
                DataInputStream requests = new DataInputStream(client.getInputStream());
                while (true) {
                    park(requests.readInt() * 1000L);
                    client.getOutputStream().write(1);
                }
            } catch (IOException e) {
                // The client is gone.
            }
        }

        static void ask(Duration time) {
            try {
                Socket socket = IDLE.poll();
                if (socket == null) {
                    socket = new Socket(SERVER.getInetAddress(), SERVER.getLocalPort());
                    socket.setTcpNoDelay(true);
                }
                int micros = (int) (time.toNanos() / 1000);
                OutputStream requests = socket.getOutputStream();
                requests.write(
                        new byte[] {(byte) (micros >> 24), (byte) (micros >> 16), (byte) (micros >> 8), (byte) micros});
                if (socket.getInputStream().read() == 1) {
                    IDLE.add(socket);
                }
            } catch (IOException e) {
                if (!Thread.currentThread().isInterrupted()) { // The pipeline is cancelled.
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
