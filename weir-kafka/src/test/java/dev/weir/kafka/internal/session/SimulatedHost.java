package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * The process of a member in simulated time: its connections, which break, and a stop of all that it does. What comes
 * meanwhile it hears of afterwards. Confined to the test's thread.
 */
final class SimulatedHost implements Network {

    private static final long DOWN_NANOS = 30_000_000;

    private final class Line implements Channel {
        private final String name;
        private final Supplier<List<InetSocketAddress>> addresses;
        private final Receiver receiver;

        /** The broker that is connected; 0 for none. */
        private int node;

        private int attempts;
        private boolean underWay;
        private boolean dropped;
        private int life;
        private long downUntil;

        Line(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
            this.name = name;
            this.addresses = addresses;
            this.receiver = receiver;
        }

        @Override
        public boolean canSend() {
            if (dropped || group.now < downUntil) {
                return false;
            }
            if (node == 0) {
                List<InetSocketAddress> all = addresses.get();
                node = all.get(attempts++ % all.size()).getPort();
                group.askerConnections += name.equals("bootstrap") ? 1 : 0;
            }
            return true;
        }

        @Override
        public void renew() {
            assertThat(underWay).as("a request under way to %s", name).isFalse();
            node = 0;
        }

        @Override
        public void send(ApiMessage request, short version) {
            assertThat(underWay).as("two requests under way to %s", name).isFalse();
            underWay = true;
            group.requests++;
            int sentIn = life;
            ApiMessage answer = group.answer(SimulatedHost.this, node, request);
            group.at(
                    group.now + group.delay(request),
                    () -> hear(() -> {
                        if (life == sentIn && !dropped) {
                            underWay = false;
                            group.answers++;
                            receiver.answered(answer);
                        }
                    }));
        }

        @Override
        public void drop() {
            dropped = true;
            disconnected();
        }

        /** The connection breaks. */
        void cut() {
            disconnected();
            int cutIn = life;
            hear(() -> {
                if (life == cutIn && !dropped) {
                    life++;
                    node = 0;
                    underWay = false;
                    downUntil = group.now + DOWN_NANOS;
                    receiver.lost("cut");
                }
            });
        }

        private void disconnected() {
            if (name.startsWith("broker ")) {
                group.disconnected(member, Integer.parseInt(name.substring(7)));
            }
        }
    }

    final String member;
    private final SimulatedGroup group;
    private final SimulatedWork work;
    private final Map<String, Line> lines = new LinkedHashMap<>();
    private long frozenUntil;

    SimulatedHost(String member, SimulatedGroup group, SimulatedWork work) {
        this.member = member;
        this.group = group;
        this.work = work;
    }

    SimulatedWork work() {
        return work;
    }

    /** Nothing of it runs for so long, but for what its handlers do, and its connections stand. */
    void freeze(long nanos) {
        frozenUntil = Math.max(frozenUntil, group.now + nanos);
    }

    boolean isFrozen() {
        return group.now < frozenUntil;
    }

    private void hear(Runnable news) {
        if (isFrozen()) {
            group.at(frozenUntil, () -> hear(news));
        } else {
            work.at(group.now);
            news.run();
        }
    }

    /** The connection of that name breaks, if there is one. */
    void cut(String name) {
        Line line = lines.get(name);
        if (line != null && !line.dropped) {
            line.cut();
        }
    }

    /** The process is gone, and says no more. */
    void kill() {
        lines.values().forEach(Line::drop);
    }

    @Override
    public Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
        Line line = new Line(name, addresses, receiver);
        lines.put(name, line);
        return line;
    }
}
