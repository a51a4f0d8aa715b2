package dev.weir.stream.internal.grouping;

import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Token buckets by key. Only buckets that are not full are stored, because a full bucket is equal to a new one.
 * Confined to one thread.
 */
final class KeyedBuckets {

    // The least recently touched keys come first. A bucket is touched when permits are taken and when its debt
    // decreases. It is therefore full a fixed time after it was last touched, so full buckets come first.
    private final LinkedHashMap<Object, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
    private final TokenBucket pattern;

    /** Creates a store of buckets that are copies of {@code pattern}. */
    KeyedBuckets(TokenBucket pattern) {
        this.pattern = pattern;
    }

    TokenBucket of(Object key, long nowNanos) {
        TokenBucket bucket = buckets.get(key);
        if (bucket == null) {
            bucket = pattern.another(nowNanos);
            buckets.put(key, bucket);
        }
        return bucket;
    }

    /** Marks a key as touched, because it has waited for permits that it took on credit. */
    void touch(Object key) {
        TokenBucket ignored = buckets.get(key);
    }

    /** Removes the keys whose buckets are full. */
    void forgetFull(long nowNanos) {
        Iterator<TokenBucket> longestUntouched = buckets.values().iterator();
        while (longestUntouched.hasNext() && longestUntouched.next().isFull(nowNanos)) {
            longestUntouched.remove();
        }
    }

    int size() {
        return buckets.size();
    }
}
