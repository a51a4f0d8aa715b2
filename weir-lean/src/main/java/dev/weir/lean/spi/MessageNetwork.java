package dev.weir.lean.spi;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Connections on which messages of Kafka's protocol are exchanged. Confined to one thread. */
public interface MessageNetwork {

    /**
     * A request that encodes itself. It must not use the cache passed to its methods, because all such requests share
     * that cache.
     */
    interface SelfEncoded extends ApiMessage {}

    /** A channel with at most one connection at a time, which is opened when it is needed and reopened after a loss. */
    interface Channel {

        /** Returns whether a request can be sent now. If there is no connection, one will be opened soon. */
        boolean canSend();

        void send(ApiMessage request, short version);

        /** Closes an idle connection, without a callback. The next connection uses the next address. */
        void renew();

        /** Closes the channel without a callback. */
        void drop();
    }

    /** Receives the responses of a channel, in the order of the requests. */
    interface Receiver {

        /**
         * Returns the object into which the next response is read. May be overridden to return the same object again.
         */
        default ApiMessage newAnswer(ApiKeys api) {
            return api.messageType.newResponse();
        }

        /** Receives a response. Its records are not valid after the call. */
        void answered(ApiMessage answer);

        /** Reports that the connection is lost. The request in flight will have no response. */
        void lost(String why);
    }

    /** Opens a channel to the first address that responds. Tries one address after the other. */
    Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver);
}
