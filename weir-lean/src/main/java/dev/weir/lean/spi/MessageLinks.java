package dev.weir.lean.spi;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.cluster.BrokerLink;
import dev.weir.lean.internal.cluster.BrokerLinks;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Readable;

/** Connections through {@code weir-lean}. Confined to one thread, except for {@link #wakeup} and {@link #nanoTime}. */
public final class MessageLinks implements MessageNetwork, AutoCloseable {

    private final BrokerLinks links;

    /**
     * Creates the object without connecting to any broker.
     *
     * @throws KafkaException if a property is invalid; the message names the property
     */
    public MessageLinks(LeanSettings settings) {
        this.links = BrokerLinks.open(settings);
    }

    /** Does the I/O that is possible now, and calls receivers. */
    public int poll(long nowNanos) {
        return links.poll(nowNanos);
    }

    /** Waits until I/O is possible or {@link #wakeup} is called, at most for the given time. */
    public void await(long nanos) {
        links.await(Math.ceilDiv(nanos, TimeUnit.MILLISECONDS.toNanos(1)));
    }

    /** Current time as in {@link System#nanoTime}, for all timeouts. May be called from any thread. */
    public long nanoTime() {
        return links.nanoTime();
    }

    /** Ends the current wait. If no thread is waiting, ends the next wait. May be called from any thread. */
    public void wakeup() {
        links.wakeup();
    }

    @Override
    public Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
        return new Wire(links.link(name, addresses, new BrokerLink.Listener() {
            @Override
            public void answered(ApiKeys api, short version, Readable body) {
                ApiMessage answer = receiver.newAnswer(api);
                try {
                    answer.read(body, version);
                } catch (RuntimeException unreadable) {
                    throw new KafkaException(name + " sent a malformed answer to " + api, unreadable);
                }
                receiver.answered(answer);
            }

            @Override
            public void lost(String why) {
                receiver.lost(why);
            }
        }));
    }

    private record Wire(BrokerLink link) implements Channel {

        @Override
        public boolean canSend() {
            return link.canSend();
        }

        @Override
        public void send(ApiMessage request, short version) {
            ApiKeys api = ApiKeys.forId(request.apiKey());
            short has = link.maxVersion(api);
            if (has < version) {
                throw new UnsupportedVersionException(
                        link + " has " + api + " up to version " + has + ", not " + version + "; fetch=CLIENT may do");
            }
            link.send(api, version, request);
        }

        @Override
        public void renew() {
            link.renew();
        }

        @Override
        public void drop() {
            link.drop();
        }
    }

    @Override
    public void close() {
        links.close();
    }
}
