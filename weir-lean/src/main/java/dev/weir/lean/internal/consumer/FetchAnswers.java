package dev.weir.lean.internal.consumer;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;

/** Receives the answers of brokers. Called on the polling thread. */
interface FetchAnswers {

    /** Receives a fetch response; the buffer is overwritten after the call, unless it is retained. */
    void fetched(FetchBroker broker, ReceiveBuffer buffer, int sizeBytes) throws MalformedResponseException;

    /** Receives the response to an offset request. */
    void resolved(FetchBroker broker, short version, ReceiveBuffer buffer) throws MalformedResponseException;

    /** Reports a lost or failed connection. */
    void lost(FetchBroker broker);
}
