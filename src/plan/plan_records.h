/** \file src/plan/plan_records.h
 * Bytes of the records that a run keeps, sorts and sends, as a plan counts them. The records
 * themselves belong to higher floors, where mpi/run/plan_job.c has the compiler compare the sizes.
 */
#ifndef ND_PLAN_PLAN_RECORDS_H
#define ND_PLAN_PLAN_RECORDS_H

/* macros, as plans count in doubles and an enumerator would be cast in every line */
#define ND_PLAN_PAGE            120     /**< what is known of a page */
#define ND_PLAN_TOKEN           4       /**< of a text */
#define ND_PLAN_SENTENCE        32      /**< likewise */
#define ND_PLAN_PLACES          192     /**< where a set of sentences were packed */
#define ND_PLAN_BLOCK_BYTES     4096    /**< that are read of packed texts at a time */
#define ND_PLAN_ASK             8       /**< asking for a page */
#define ND_PLAN_SAMPLE          32      /**< a page that may be in a site's sample */
#define ND_PLAN_SAMPLED         16      /**< that a page is in one */
#define ND_PLAN_FRAGMENT        312     /**< some sentences of a sampled page */
#define ND_PLAN_FRAGMENT_PACKED 0.345   /**< of its bytes in a file: as measured, */
#define ND_PLAN_PACKED_SORT     4194304 /**< where the sort has so much */
#define ND_PLAN_MARKS           16      /**< what becomes of them */
#define ND_PLAN_TEXT_HASH       24      /**< a text among equal ones */
#define ND_PLAN_KEYS            16 /**< a page whose keys wait to be sent, and how many they are */
#define ND_PLAN_KEY             8
#define ND_PLAN_POSTING         16
#define ND_PLAN_RECORD          536 /**< site, flags and digest of a page, as they are compared */
#define ND_PLAN_CANDIDATE       24
#define ND_PLAN_GROUPED         24 /**< a posting on its way to where its group is paired */
#define ND_PLAN_FIND            24 /**< a pair within the bounds, on its way to where it is once */
#define ND_PLAN_PAIR            40
#define ND_PLAN_DEALT           50 /**< a pair is sent to be dealt; some, near the ends of shares, twice */
#define ND_PLAN_LINK            24
#define ND_PLAN_ALONE           8388608 /**< that a rank alone compares at a time */
#define ND_PLAN_CONTAIN_KEY     24      /**< a page that has a key, or asks by it */
#define ND_PLAN_CONTAIN_HIT     24      /**< a page that asked, and one that has the key */
#define ND_PLAN_CONTAIN_PAIR    32      /**< two pages to be compared */
#define ND_PLAN_OFFER           40      /**< a link between components */
#define ND_PLAN_TREE_LINK       48
#define ND_PLAN_LOOKED          40 /**< what is asked about a link's pages: as measured */
#define ND_PLAN_MEMBERSHIP      40
#define ND_PLAN_MEMBER          32

#endif
