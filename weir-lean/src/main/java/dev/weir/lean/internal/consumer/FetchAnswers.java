package dev.weir.lean.internal.consumer;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;

/** Receives the responses of brokers. Called on the polling thread. */
interface FetchAnswers {

    /** Called with a fetch response. The buffer is overwritten after the call unless the callee retains it. */
    void fetched(FetchBroker broker, ReceiveBuffer buffer, int sizeBytes) throws MalformedResponseException;

    /** Called with the response to an offset request. */
    void resolved(FetchBroker broker, short version, ReceiveBuffer buffer) throws MalformedResponseException;

    /** Called when a connection is lost or cannot be opened. */
    void lost(FetchBroker broker);
}
