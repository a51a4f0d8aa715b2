package dev.weir.lean.internal.consumer;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;

/** Takes what brokers answer. Called on the polling thread. */
interface FetchAnswers {

    /** A fetch was answered; the buffer is overwritten after the call, unless it is retained. */
    void fetched(FetchBroker broker, ReceiveBuffer buffer, int sizeBytes) throws MalformedResponseException;

    /** A question for offsets was answered. */
    void resolved(FetchBroker broker, short version, ReceiveBuffer buffer) throws MalformedResponseException;

    /** The connection is gone, or could not be made. */
    void lost(FetchBroker broker);
}
