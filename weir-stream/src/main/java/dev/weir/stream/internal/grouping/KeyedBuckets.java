package dev.weir.stream.internal.grouping;

import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Token buckets by key. Only buckets that are not full are stored, because a full bucket is equal to a new one.
 * Confined to one thread.
 */
final class KeyedBuckets {

    // Keys are ordered by the time of their last touch, oldest first. A bucket is touched when permits are taken and
    // when its debt decreases, so it is full again within a fixed time after its last touch. Full buckets are therefore
    // at the front.
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

    /** Marks a key as touched after it has waited for permits that it took on credit. */
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
