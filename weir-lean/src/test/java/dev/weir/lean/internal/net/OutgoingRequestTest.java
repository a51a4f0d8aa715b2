package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a request is sent unchanged, however few bytes the system accepts. */
class OutgoingRequestTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4_000, 1 << 20})
    void requests_ofOwnBytesAndInsertedOnes_leaveInOrder(int mostAtOnce) throws Exception {
        Random random = new Random(mostAtOnce);
        OutgoingRequest outgoing = new OutgoingRequest();
        for (int request = 0; request < 200; request++) {
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            put(outgoing, random, expected);
            Narrow transport = new Narrow(mostAtOnce, random);
            int written = 0;
            while (outgoing.hasRemaining()) {
                written += outgoing.writeTo(transport);
            }
            assertThat(transport.taken.toByteArray()).isEqualTo(expected.toByteArray());
            assertThat(written).isEqualTo(expected.size());
        }
    }

    private static void put(OutgoingRequest outgoing, Random random, ByteArrayOutputStream expected) {
        int parts = random.nextInt(30);
        int most = 1 + random.nextInt(400);
        ByteBuffer own = outgoing.begin(most * (parts + 1));
        for (int part = 0; part < parts; part++) {
            byte[] bytes = new byte[random.nextInt(most)];
            random.nextBytes(bytes);
            expected.writeBytes(bytes);
            if (random.nextBoolean()) {
                own.put(bytes);
            } else {
                outgoing.insert(ByteBuffer.allocateDirect(bytes.length + 2)
                        .put(1, bytes)
                        .limit(1 + bytes.length)
                        .position(1));
            }
        }
        own.flip();
        outgoing.end();
    }

    /** Given a request that is given up half-way: none of its bytes may remain. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7})
    void requestThatWasForgotten_isNotSent(int mostAtOnce) throws Exception {
        Random random = new Random(1);
        OutgoingRequest outgoing = new OutgoingRequest();
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        do {
            first.reset();
            put(outgoing, random, first);
        } while (first.size() < 1_000);
        assertThat(outgoing.writeTo(new Narrow(mostAtOnce, random))).isLessThan(first.size());
        outgoing.forget();
        assertThat(outgoing.hasRemaining()).isFalse();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        put(outgoing, random, expected);
        Narrow transport = new Narrow(mostAtOnce, random);
        while (outgoing.hasRemaining()) {
            var unused = outgoing.writeTo(transport);
        }
        assertThat(transport.taken.toByteArray()).isEqualTo(expected.toByteArray());
    }

    /** Accepts only a few bytes at a time, and sometimes none. */
    private static final class Narrow implements Transport {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final int mostAtOnce;
        private final Random random;

        private Narrow(int mostAtOnce, Random random) {
            this.mostAtOnce = mostAtOnce;
            this.random = random;
        }

        @Override
        public int write(ByteBuffer from) {
            return take(from, random.nextInt(mostAtOnce + 1));
        }

        @Override
        public long write(ByteBuffer[] from, int first, int count) {
            int room = random.nextInt(mostAtOnce + 1);
            long all = 0;
            for (int i = first; i < first + count; i++) {
                all += take(from[i], (int) (room - all));
            }
            return all;
        }

        private int take(ByteBuffer from, int most) {
            byte[] bytes = new byte[Math.min(most, from.remaining())];
            from.get(bytes);
            taken.writeBytes(bytes);
            return bytes.length;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public int read(ByteBuffer to) {
            throw new UnsupportedOperationException("nothing is read");
        }

        @Override
        public boolean hasPending() {
            return false;
        }

        @Override
        public int writePending() {
            return 0;
        }

        @Override
        public void wantWrite(boolean wanted) {}

        @Override
        public void close() {}
    }
}
