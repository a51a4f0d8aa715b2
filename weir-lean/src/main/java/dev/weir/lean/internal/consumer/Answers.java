package dev.weir.lean.internal.consumer;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;

/** Takes what brokers answer. Called on the polling thread. */
interface Answers {

    /** A fetch was answered; the buffer is overwritten after the call, unless it is retained. */
    void fetched(Broker broker, ReceiveBuffer buffer, int sizeBytes) throws MalformedResponseException;

    /** A question for offsets was answered. */
    void resolved(Broker broker, short version, ReceiveBuffer buffer) throws MalformedResponseException;

    /** The connection is gone, or could not be made. */
    void lost(Broker broker);
}
