package dev.weir.lean.share;

import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;

/** Channels that record their requests. The test responds. */
final class ScriptedNetwork implements MessageNetwork {

    private final Map<String, ScriptedChannel> channels = new LinkedHashMap<>();

    static final class ScriptedChannel implements Channel {

        final Supplier<List<InetSocketAddress>> addresses;
        final Receiver receiver;
        final List<ApiMessage> sent = new ArrayList<>();
        final List<Integer> versions = new ArrayList<>();
        boolean canSend = true;
        boolean dropped;
        int renewed;

        private ScriptedChannel(Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
            this.addresses = addresses;
            this.receiver = receiver;
        }

        <T extends ApiMessage> T last(Class<T> type) {
            return type.cast(sent.getLast());
        }

        @Override
        public boolean canSend() {
            return canSend;
        }

        @Override
        public void send(ApiMessage request, short version) {
            sent.add(request);
            versions.add((int) version);
        }

        @Override
        public void renew() {
            renewed++;
        }

        @Override
        public void drop() {
            dropped = true;
        }
    }

    ScriptedChannel channel(String name) {
        return Objects.requireNonNull(channels.get(name), name);
    }

    boolean has(String name) {
        return channels.containsKey(name);
    }

    @Override
    public Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
        ScriptedChannel channel = new ScriptedChannel(addresses, receiver);
        channels.put(name, channel);
        return channel;
    }
}
