package dev.weir.kafka.internal.share.session;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;

/** Connections to brokers. Confined to the member's thread. */
public interface SessionNetwork {

    /** One connection at a time, made when it is needed and again when it was lost. */
    interface Channel {

        /** Returns whether a request can go now; if there is no connection, one is made soon. */
        boolean canSend();

        void send(ApiMessage request, short version);

        /**
         * Leaves a connection that has no request in flight. The next one is to the next address. Makes no callback.
         */
        void renew();

        /** Closes it without a callback. */
        void drop();
    }

    /** Takes what comes on a channel, in the order of the requests. */
    interface Receiver {

        /** An answer came, whose records are not valid after the call. */
        void answered(ApiMessage answer);

        /** The connection is gone, and what was under way has no answer. */
        void lost(String why);
    }

    /** A channel to whoever answers first of some addresses, which are tried one after the other. */
    Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver);
}
